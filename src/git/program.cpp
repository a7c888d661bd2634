#include "git/program.h"

#include <algorithm>
#include <csignal>
#include <limits>
#include <string_view>
#include <utility>

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/descriptor.h"
#include "files/kernel.h"

namespace notesdb {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::string_view path_variable = "PATH=";

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// The folders of a PATH that are absolute; by the others the folder that we stand in would say what
// is run.
std::vector<std::string> absolute_folders(std::string_view path) {
  std::vector<std::string> folders;
  while (!path.empty()) {
    const std::string_view folder = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(folder.size() + 1, path.size()));
    if (folder.starts_with('/')) folders.emplace_back(folder);
  }
  return folders;
}

std::string find_program(const std::string& name, const std::vector<std::string>& environment) {
  if (name.starts_with('/')) return name;
  for (const std::string& variable : environment) {
    if (!variable.starts_with(path_variable)) continue;
    for (const std::string& folder :
         absolute_folders(std::string_view(variable).substr(path_variable.size()))) {
      std::string path = folder + "/" + name;
      struct stat status {};
      const bool is_file = ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
      if (is_file && ::access(path.c_str(), X_OK) == 0) return path;
    }
  }
  return "";
}

std::string text_of(const Descriptor& file) {
  std::string text;
  read_whole(file.get(), std::numeric_limits<std::uint64_t>::max(), text);
  return text;
}

std::uint64_t size_of(const Descriptor& file) {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// What the program reads and prints.
struct Streams {
  Descriptor in = kernel::scratch_file();
  Descriptor out = kernel::scratch_file();
  Descriptor err = kernel::scratch_file();

  bool open(std::string_view input) const {
    return in && out && err && write_whole(in.get(), input) == 0 &&
           ::lseek(in.get(), 0, SEEK_SET) == 0;
  }
  bool exceed(std::uint64_t most) const { return size_of(out) + size_of(err) > most; }
};

class SpawnPlan {
 public:
  SpawnPlan(const Streams& streams, SignalsOf signals) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, streams.in.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, streams.out.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, streams.err.get(), STDERR_FILENO);
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

  bool start(const ProgramCall& call, pid_t& pid) const {
    std::vector<std::string> words = call.words;
    std::vector<std::string> environment = call.environment ? *call.environment : own_environment();
    const std::string program = find_program(words[0], environment);
    return !program.empty() && ::posix_spawn(&pid,
                                             program.c_str(),
                                             &actions_,
                                             &attributes_,
                                             pointers(words).data(),
                                             pointers(environment).data()) == 0;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

int reap(pid_t pid) {
  constexpr int by_signal = 128;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : by_signal + WTERMSIG(status);
}

// With what it started, where it runs apart; with a word first, so that git takes its locks away.
void end(pid_t pid, SignalsOf signals) {
  const pid_t whom = signals == SignalsOf::its_own ? -pid : pid;
  ::kill(whom, SIGTERM);
  constexpr milliseconds grace{2000};
  static_cast<void>(ends_within(pid, grace));
  ::kill(whom, SIGKILL);
  reap(pid);
}

// What a program was ended for; empty where it came to its own end.
std::string wait_for(pid_t pid, const ProgramCall& call, const Streams& streams) {
  constexpr milliseconds between_looks{50};
  const Clock::time_point deadline = Clock::now() + call.max_time;
  bool has_ended = false;
  while (!has_ended) {
    has_ended = ends_within(pid, between_looks);
    if (streams.exceed(call.max_output))
      return "printed more than the " + std::to_string(call.max_output >> 20U) +
             " MiB that are read of it";
    if (!has_ended && Clock::now() >= deadline)
      return "did not end within " +
             std::to_string(
                 std::chrono::duration_cast<std::chrono::seconds>(call.max_time).count()) +
             " s";
  }
  return "";
}

Error failed(ErrorCode code, const ProgramCall& call, const std::string& how) {
  return {code, "'" + call.words[0] + "' " + how, Map{}};
}

}  // namespace

std::vector<std::string> own_environment() {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with(path_variable)) {
      result.emplace_back(text);
      continue;
    }
    std::string path;
    for (const std::string& folder : absolute_folders(text.substr(path_variable.size())))
      path += (path.empty() ? "" : ":") + folder;
    result.push_back(std::string(path_variable) + path);
  }
  return result;
}

Result<ProgramEnd> run_program(const ProgramCall& call) {
  const Streams streams;
  if (!streams.open(call.input))
    return failed(
        ErrorCode::io_error, call, "cannot be run: no memory for what it reads and prints");
  pid_t pid = -1;
  if (!SpawnPlan(streams, call.signals).start(call, pid))
    return failed(ErrorCode::io_error, call, "could not be started; is it installed?");
  const std::string stopped = wait_for(pid, call, streams);
  if (!stopped.empty()) {
    end(pid, call.signals);
    return failed(ErrorCode::limit_exceeded, call, stopped);
  }
  const int exit_code = reap(pid);
  return ProgramEnd{exit_code, text_of(streams.out), text_of(streams.err)};
}

}  // namespace notesdb
