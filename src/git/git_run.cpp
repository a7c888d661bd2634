#include "git/git_run.h"

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <limits>
#include <string_view>

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/budget.h"
#include "core/progress.h"
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
    Progress::continues();
    if (!has_ended && call.signals == SignalsOf::ours) Budget::look();
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
  std::string stopped;
  try {
    stopped = wait_for(pid, call, streams);
  } catch (const BudgetSpent&) {
    end(pid, call.signals);
    throw;
  }
  if (!stopped.empty()) {
    end(pid, call.signals);
    return failed(ErrorCode::limit_exceeded, call, stopped);
  }
  const int exit_code = reap(pid);
  return ProgramEnd{exit_code, text_of(streams.out), text_of(streams.err)};
}

namespace {

using Names = std::vector<std::string_view>;

constexpr std::string_view no_protocol = "GIT_ALLOW_PROTOCOL=no-protocol";
// Without ext:: and other helpers, which an address could name.
constexpr std::string_view usual_protocols = "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh";

bool is_any(std::string_view name, const Names& names) {
  return std::ranges::find(names, name) != names.end();
}

bool begins_as_any(std::string_view name, const Names& beginnings) {
  return std::ranges::any_of(beginnings,
                             [&](std::string_view begin) { return name.starts_with(begin); });
}

// Which configuration is the user's, and where a repository is looked for.
bool is_about_the_user(std::string_view name) {
  static const Names names{"GIT_CONFIG_GLOBAL",
                           "GIT_CONFIG_SYSTEM",
                           "GIT_CONFIG_NOSYSTEM",
                           "GIT_CEILING_DIRECTORIES",
                           "GIT_DISCOVERY_ACROSS_FILESYSTEM"};
  return is_any(name, names);
}

bool is_for_looking(std::string_view name) {
  static const Names names{"PATH",
                           "HOME",
                           "XDG_CONFIG_HOME",
                           "TZ",
                           "TZDIR",
                           "TMPDIR",
                           "USER",
                           "LOGNAME",
                           "LD_LIBRARY_PATH"};
  return is_any(name, names) || name.ends_with("SAN_OPTIONS") || is_about_the_user(name);
}

// Of git's own variables those by which the user reaches a remote or signs a name; all others,
// which may come from a git above us or name a folder and a program, stay away.
bool is_for_changing(std::string_view name) {
  static const Names names{"GIT_SSH",
                           "GIT_SSH_COMMAND",
                           "GIT_SSH_VARIANT",
                           "GIT_ASKPASS",
                           "GIT_ALLOW_PROTOCOL",
                           "GIT_TERMINAL_PROMPT",
                           "GIT_HTTP_USER_AGENT",
                           "GIT_HTTP_PROXY_AUTHMETHOD"};
  static const Names beginnings{"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_SSL_", "GIT_LFS_"};
  return !name.starts_with("GIT_") || is_any(name, names) || begins_as_any(name, beginnings) ||
         is_about_the_user(name);
}

std::string_view name_of_variable(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

void set_variable(Words& environment, std::string_view variable) {
  const std::string_view name = name_of_variable(variable);
  std::erase_if(environment,
                [&](const std::string& other) { return name_of_variable(other) == name; });
  environment.emplace_back(variable);
}

bool has_variable(const Words& environment, std::string_view name) {
  return std::ranges::any_of(
      environment, [&](const std::string& other) { return name_of_variable(other) == name; });
}

// Given so, and not as words, a key may hold any character.
void add_config(const GitRun& run, Words& environment) {
  if (run.config.empty()) return;
  set_variable(environment, "GIT_CONFIG_COUNT=" + std::to_string(run.config.size()));
  for (std::size_t i = 0; i < run.config.size(); ++i) {
    const std::string number = std::to_string(i);
    set_variable(environment, "GIT_CONFIG_KEY_" + number + "=" + run.config[i].first);
    set_variable(environment, "GIT_CONFIG_VALUE_" + number + "=" + run.config[i].second);
  }
}

Words environment_of(const GitRun& run) {
  const bool only_looks = run.use == GitUse::look;
  Words environment = own_environment();
  std::erase_if(environment, [&](const std::string& variable) {
    const std::string_view name = name_of_variable(variable);
    return only_looks ? !is_for_looking(name) : !is_for_changing(name);
  });
  for (const char* variable :
       {"LC_ALL=C.UTF-8", "GIT_OPTIONAL_LOCKS=0", "GIT_EDITOR=false", "GIT_PAGER=cat"})
    set_variable(environment, variable);
  if (run.pathspecs == Pathspecs::literal) set_variable(environment, "GIT_LITERAL_PATHSPECS=1");
  if (run.use != GitUse::network) {
    for (const std::string_view variable : {no_protocol,
                                            std::string_view("GIT_NO_LAZY_FETCH=1"),
                                            std::string_view("GIT_TERMINAL_PROMPT=0")})
      set_variable(environment, variable);
  } else if (!run.is_trusted && !has_variable(environment, "GIT_ALLOW_PROTOCOL")) {
    set_variable(environment, usual_protocols);
  }
  add_config(run, environment);
  for (const std::string& variable : run.environment)
    set_variable(environment, variable);
  return environment;
}

// What no configuration says otherwise; given as words, which every git knows.
void add_settings(const GitRun& run, Words& words) {
  static const Words always{"safe.bareRepository=explicit",
                            "core.pager=cat",
                            "core.editor=false",
                            "sequence.editor=false",
                            "submodule.recurse=false"};
  static const Words for_looking{"core.fsmonitor=false",
                                 "log.showSignature=false",
                                 "core.sshCommand=false",
                                 "core.hooksPath=/dev/null",
                                 "core.alternateRefsCommand=false",
                                 "core.askPass=false",
                                 "credential.helper=",
                                 "gpg.program=false",
                                 "gc.auto=0",
                                 "maintenance.auto=false"};
  const auto add = [&words](const Words& settings) {
    for (const std::string& setting : settings)
      words.insert(words.end(), {"-c", setting});
  };
  add(always);
  if (run.use == GitUse::look) {
    add(for_looking);
  } else if (!run.is_trusted) {
    words.insert(words.end(), {"-c", "core.fsmonitor=false"});
  }
}

}  // namespace

Result<ProgramEnd> run_git(const GitRun& run) {
  constexpr std::chrono::seconds for_looking{60};
  constexpr std::chrono::seconds for_changing{600};
  ProgramCall call{.words = {"git", "--no-pager", "-C", run.folder}};
  add_settings(run, call.words);
  call.words.insert(call.words.end(), run.words.begin(), run.words.end());
  call.input = run.input;
  call.environment = environment_of(run);
  call.signals = run.signals;
  call.max_time = run.use == GitUse::look ? for_looking : for_changing;
  return run_program(call);
}

std::string quoted_for_shell(const std::string& text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string own_program() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return "notesdb";
  // Of a program that was replaced while it ran; the new one is in its place.
  constexpr std::string_view replaced = " (deleted)";
  std::string_view name(path.data(), static_cast<std::size_t>(length));
  if (name.ends_with(replaced)) name.remove_suffix(replaced.size());
  return std::string(name);
}

std::string merge_driver_command() {
  return quoted_for_shell(own_program()) + " merge-file %O %A %B --path %P";
}

}  // namespace notesdb
