#include "serving/command_server.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/operation_command.h"
#include "core/budget.h"
#include "operations/catalog.h"

namespace notesdb {
namespace {

constexpr std::size_t first_threads = 4;
constexpr std::size_t max_threads = 64;
constexpr int longest_wait = 2000;  // in milliseconds, for a command that says nothing

Environment environment_of(const LocalRequest& request) {
  return [&request](const std::string& name) -> std::optional<std::string> {
    for (const auto& [known, value] : request.variables)
      if (known == name) return value;
    return std::nullopt;
  };
}

bool has_left(int socket) {
  char byte = 0;
  return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

}  // namespace

CommandServer::CommandServer(std::shared_ptr<Workspace> workspace,
                             Environment environment,
                             LocalSocket socket)
    : workspace_(std::move(workspace)),
      environment_(std::move(environment)),
      socket_(std::move(socket)),
      settings_(*workspace_) {
  if (!socket_.listening) return;
  const std::lock_guard guard(threads_mutex_);
  while (threads_.size() < first_threads && hire()) {
  }
  if (threads_.empty()) close();
}

// One thread more, under the lock; false where the system or the memory allows none.
bool CommandServer::hire() {
  try {
    threads_.emplace_back([this] { serve(); });
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void CommandServer::begin_work() {
  const std::lock_guard guard(threads_mutex_);
  const bool is_last = ++at_work_ == threads_.size();
  if (is_last && threads_.size() < max_threads && !closed_.load()) hire();
}

void CommandServer::end_work() {
  const std::lock_guard guard(threads_mutex_);
  --at_work_;
}

CommandServer::~CommandServer() {
  close();
  std::vector<std::thread> threads;
  {
    const std::lock_guard guard(threads_mutex_);
    threads = std::move(threads_);
  }
  for (std::thread& thread : threads)
    thread.join();
}

void CommandServer::close() {
  if (!socket_.listening || closed_.exchange(true)) return;
  ::unlink(socket_.place.c_str());
  ::shutdown(socket_.listening.get(), SHUT_RDWR);
}

void CommandServer::serve() {
  while (!closed_.load()) {
    const Descriptor socket(::accept4(socket_.listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket) {
      begin_work();
      try {
        serve_one(socket.get());
      } catch (const std::bad_alloc&) {
        // who gets no answer asks the files
      }
      end_work();
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return;
    }
  }
}

void CommandServer::serve_one(int socket) {
  if (!is_own_user(socket)) return;
  limit_waiting(socket, longest_wait);
  const auto bytes = receive_message(socket, max_request_bytes);
  const auto request = bytes ? decode_request(*bytes) : std::nullopt;
  if (!request) return;
  const CallerWatch watch([&] { return closed_.load() || has_left(socket); });
  const std::string reply = encode(answer(*request));
  send_message(socket, reply.size() <= max_reply_bytes ? reply : encode(LocalReply{}));
}

// Each is described once, which takes longer than to look it up.
const cli::Command& CommandServer::command_of(const Operation& operation) {
  const std::lock_guard guard(commands_mutex_);
  const auto known = commands_.find(&operation);
  if (known != commands_.end()) return known->second;
  return commands_.emplace(&operation, cli::command_of(operation)).first->second;
}

LocalReply CommandServer::answer(const LocalRequest& request) {
  if (request.version != NOTESDB_VERSION) return {};
  const auto place = cli::find_command_word(request.words);
  if (!place) return {};
  const Operation* operation = find_command(request.words[*place]);
  if (operation == nullptr || writes(operation->effect)) return {};
  const cli::Command& command = command_of(*operation);
  std::vector<std::string> rest = request.words;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(*place));
  const Result<cli::Words> words = cli::parse_words(command, std::move(rest));
  if (!words || words->has("help") || words->has("at")) return {};
  const bool is_whole = std::ranges::all_of(command.positionals, [&](const auto& positional) {
    return !positional.required || words->has(positional.name);
  });
  if (!is_whole) return {};

  LocalReply reply{.answered = true};
  cli::Console console(request.reader, [&](cli::Stream stream, std::string_view text) {
    reply.output.emplace_back(stream, text);
    return true;
  });
  console.set_colours(words->last("color") == "always");
  const cli::CommandEnvironment around{environment_of(request), request.folder, workspace_};
  const cli::Session session{*words, console, around};
  if (around.environment("TZ") != environment_("TZ")) return {};
  if (!settings_.are_those_of(session)) return {};
  reply.exit = static_cast<int>(command.run(session));
  console.flush();
  return reply;
}

}  // namespace notesdb
