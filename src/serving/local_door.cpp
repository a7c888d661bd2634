#include "serving/local_door.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>

#include <sys/socket.h>
#include <unistd.h>

#include "cli/operation_command.h"
#include "cli/parse.h"
#include "operations/catalog.h"

namespace notesdb {
namespace {

constexpr int threads = 4;
constexpr int longest_wait = 2000;  // in milliseconds, for a command that says nothing

Environment environment_of(const LocalRequest& request) {
  return [&request](const std::string& name) -> std::optional<std::string> {
    for (const auto& [known, value] : request.variables)
      if (known == name) return value;
    return std::nullopt;
  };
}

}  // namespace

LocalDoor::LocalDoor(std::shared_ptr<Workspace> workspace,
                     Environment environment,
                     LocalSocket socket)
    : workspace_(std::move(workspace)),
      environment_(std::move(environment)),
      socket_(std::move(socket)),
      settings_(*workspace_),
      remembered_(*workspace_) {
  if (!socket_.listening) return;
  try {
    for (int at = 0; at < threads; ++at)
      threads_.emplace_back([this] { serve(); });
  } catch (const std::exception&) {  // the system or the memory allows no more
    if (threads_.empty()) close();
  }
}

LocalDoor::~LocalDoor() {
  close();
  for (std::thread& thread : threads_)
    thread.join();
}

void LocalDoor::close() {
  if (!socket_.listening || closed_.exchange(true)) return;
  ::unlink(socket_.place.c_str());
  ::shutdown(socket_.listening.get(), SHUT_RDWR);
}

void LocalDoor::serve() {
  while (!closed_.load()) {
    const Descriptor socket(::accept4(socket_.listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket) {
      try {
        serve_one(socket.get());
      } catch (const std::bad_alloc&) {
        continue;  // who gets no answer asks the files
      }
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return;
    }
  }
}

void LocalDoor::serve_one(int socket) {
  if (!is_own_user(socket)) return;
  limit_waiting(socket, longest_wait);
  const auto request = receive_message(socket, most_request_bytes);
  if (!request) return;
  const auto reply =
      remembered_.reply_to(*request, [this](const LocalRequest& asked) { return answer(asked); });
  if (!reply) return;
  send_message(socket, reply->size() <= most_reply_bytes ? *reply : encode(LocalReply{}));
}

// Each is described once, which takes longer than to look it up.
const cli::Command& LocalDoor::command_of(const Operation& operation) {
  const std::lock_guard guard(commands_mutex_);
  const auto known = commands_.find(&operation);
  if (known != commands_.end()) return known->second;
  return commands_.emplace(&operation, cli::command_of(operation)).first->second;
}

LocalReply LocalDoor::answer(const LocalRequest& request) {
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
  const cli::Surroundings around{environment_of(request), request.folder, workspace_};
  const cli::Session session{*words, console, around};
  if (around.environment("TZ") != environment_("TZ")) return {};
  if (!settings_.are_those_of(session)) return {};
  reply.exit = static_cast<int>(command.run(session));
  console.flush();
  return reply;
}

}  // namespace notesdb
