#include "git/git_run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <string_view>

#include <unistd.h>

namespace notesdb {

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
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "notesdb";
}

std::string merge_driver_command() {
  return quoted_for_shell(own_program()) + " merge-file %O %A %B --path %P";
}

}  // namespace notesdb
