#include "search/index_file.h"

#include <cstdlib>
#include <memory>

#include <sys/stat.h>
#include <unistd.h>

#include "files/etag.h"

namespace notesdb::search {
namespace {

constexpr mode_t mine_alone = 0700;

std::string cache_home() {
  const char* given = std::getenv("XDG_CACHE_HOME");  // NOLINT(concurrency-mt-unsafe)
  if (given != nullptr && given[0] == '/') return given;
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
  return home != nullptr && home[0] == '/' ? std::string(home) + "/.cache" : std::string();
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : std::string();
}

}  // namespace

std::optional<std::string> index_file(const Workspace& workspace) {
  if (!workspace.settings().cache.value) return std::nullopt;
  const std::string home = cache_home();
  const std::string root = real_path(workspace.settings().root.value);
  if (home.empty() || root.empty()) return std::nullopt;
  std::string folder = home;
  ::mkdir(folder.c_str(), mine_alone);
  for (const std::string& name : {std::string("notesdb"), to_text(etag_of(root))}) {
    folder += "/" + name;
    ::mkdir(folder.c_str(), mine_alone);
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return std::nullopt;
  return folder + "/search.sqlite";
}

void remove_index(const std::string& path) {
  for (const char* ending : {"", "-wal", "-shm", "-journal"})
    ::unlink((path + ending).c_str());
}

}  // namespace notesdb::search
