#include "git/program.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/descriptor.h"
#include "files/kernel.h"

namespace notesdb {

namespace {

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return Error{ErrorCode::io_error, "no pipe could be made", Map{}};
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// Our environment without what a git above us has set for itself, and with the call's additions.
std::vector<std::string> environment_of(const ProgramCall& call) {
  constexpr std::array<std::string_view, 8> of_git_above{"GIT_DIR=",
                                                         "GIT_WORK_TREE=",
                                                         "GIT_INDEX_FILE=",
                                                         "GIT_PREFIX=",
                                                         "GIT_OBJECT_DIRECTORY=",
                                                         "GIT_COMMON_DIR=",
                                                         "GIT_NAMESPACE=",
                                                         "GIT_QUARANTINE_PATH="};
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    std::string_view text = *variable;
    auto begins = [&](std::string_view name) {
      return text.starts_with(name.substr(0, name.find('=') + 1));
    };
    if (std::ranges::none_of(of_git_above, begins) &&
        std::ranges::none_of(call.environment, begins))
      result.emplace_back(text);
  }
  result.insert(result.end(), call.environment.begin(), call.environment.end());
  return result;
}

// A pipe closed at the other end is an answer, not a signal.
class NoPipeSignal {
 public:
  NoPipeSignal() { before_ = std::signal(SIGPIPE, SIG_IGN); }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;
  ~NoPipeSignal() { std::signal(SIGPIPE, before_); }

 private:
  void (*before_)(int) = nullptr;
};

// A program may end without having read all of it.
void give(Descriptor to, std::string_view input) {
  std::optional<NoPipeSignal> no_pipe_signal;
  if (!input.empty()) no_pipe_signal.emplace();
  write_whole(to.get(), input);
}

std::string text_of(const Descriptor& file) {
  std::string text;
  read_whole(file.get(), std::numeric_limits<std::uint64_t>::max(), text);
  return text;
}

class SpawnPlan {
 public:
  SpawnPlan(const Pipe& in, const Descriptor& out, const Descriptor& err, SignalsOf signals) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, in.read.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, out.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, err.get(), STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    int flags = POSIX_SPAWN_SETSIGDEF;
    if (signals == SignalsOf::its_own) flags |= POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  int start(const ProgramCall& call, pid_t& pid) const {
    std::vector<std::string> words = call.words;
    std::vector<std::string> environment = environment_of(call);
    return ::posix_spawnp(&pid,
                          words[0].c_str(),
                          &actions_,
                          &attributes_,
                          pointers(words).data(),
                          pointers(environment).data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

int wait_for(pid_t pid) {
  constexpr int by_signal = 128;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : by_signal + WTERMSIG(status);
}

}  // namespace

Result<ProgramEnd> run_program(const ProgramCall& call) {
  Result<Pipe> in = make_pipe();
  if (!in) return in.error();
  const Descriptor out = kernel::scratch_file();
  const Descriptor err = kernel::scratch_file();
  if (!out || !err) return Error{ErrorCode::io_error, "no room for what git prints", Map{}};
  pid_t pid = -1;
  int failure = SpawnPlan(*in, out, err, call.signals).start(call, pid);
  if (failure != 0) {
    return Error{ErrorCode::io_error,
                 "'" + call.words[0] + "' could not be started; is it installed?",
                 Map{}};
  }
  in->read = Descriptor();
  give(std::move(in->write), call.input);
  const int exit_code = wait_for(pid);
  return ProgramEnd{exit_code, text_of(out), text_of(err)};
}

}  // namespace notesdb
