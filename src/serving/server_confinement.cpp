#include "serving/server_confinement.h"

#include <sys/stat.h>

#include "files/confinement.h"
#include "files/git_guard.h"

namespace notesdb {

namespace {

// The folder and those above it, made where they are missing: a rule is about what exists.
void make_folders(const std::string& path) {
  constexpr mode_t mine_alone = 0700;
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    ::mkdir(path.substr(0, end).c_str(), mine_alone);
  ::mkdir(path.c_str(), mine_alone);
}

// Where programs and what they are configured with lie.
void add_system(std::vector<std::string>& readable) {
  for (const char* folder :
       {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix", "/proc"})
    readable.emplace_back(folder);
  const std::string path = process_environment()("PATH").value_or("");
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (path[begin] == '/') readable.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
}

void add_git(const std::string& root, std::vector<std::string>& readable) {
  const Environment environment = process_environment();
  if (const auto home = environment("HOME")) {
    readable.push_back(*home + "/.gitconfig");
    readable.push_back(*home + "/.config/git");
  }
  if (const auto config = environment("XDG_CONFIG_HOME")) readable.push_back(*config + "/git");
  for (const std::string& directory : git_directories_of(root))
    readable.push_back(directory);
}

}  // namespace

void confine_server(const Settings& settings, const std::vector<std::string>& also_readable) {
  Confines confines;
  confines.readable = also_readable;
  add_system(confines.readable);
  add_git(settings.root.value, confines.readable);
  (settings.read_only.value ? confines.readable : confines.changeable)
      .push_back(settings.root.value);
  if (settings.cache.value && !settings.cache_folder.empty()) {
    make_folders(settings.cache_folder);
    confines.changeable.push_back(settings.cache_folder);
  }
  confines.changeable.emplace_back("/dev/null");
  confine_to(confines);
}

}  // namespace notesdb
