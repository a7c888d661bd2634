#include "serving/server_confinement.h"

#include <sys/stat.h>

#include "database/cache_place.h"
#include "files/confinement.h"
#include "files/git_guard.h"
#include "files/root.h"
#include "files/store.h"

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

// What the store is known by is made while it still can be, and only read from then on.
void add_store_word(const Settings& settings, Confines& confines) {
  const auto root = Root::open(settings.root.value);
  if (!root) return;
  if (!settings.read_only.value) (void)make_store_word(*root);
  if (const std::string folder = store_word_folder(); !folder.empty())
    confines.readable.push_back(folder);
}

}  // namespace

void confine_server(const Settings& settings,
                    const std::vector<std::string>& also_readable,
                    std::optional<std::uint16_t> port) {
  Confines confines;
  confines.readable = also_readable;
  confines.port = port;
  add_system(confines.readable);
  add_git(settings.root.value, confines.readable);
  (settings.read_only.value ? confines.readable : confines.changeable)
      .push_back(settings.root.value);
  if (const std::string place = cache_place(settings); !place.empty()) {
    make_folders(place);
    confines.changeable.push_back(place);
  }
  add_store_word(settings, confines);
  confines.changeable.emplace_back("/dev/null");
  confine_to(confines);
}

}  // namespace notesdb
