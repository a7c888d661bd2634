#include "search/index_file.h"

#include <cerrno>
#include <cstdlib>
#include <memory>

#include <sys/stat.h>
#include <unistd.h>

#include "database/cache_place.h"
#include "files/etag.h"
#include "files/writable_path.h"
#include "search/text_index.h"

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

// Whether what stands there is a file of this user and no link, or nothing.
bool is_own_file_or_none(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return errno == ENOENT;
  return S_ISREG(status.st_mode) && !find_distrust(status, Trusted::us_alone);
}

}  // namespace

std::optional<std::string> index_file(const Workspace& workspace) {
  if (!workspace.settings().cache.value || !cache_problem_of(process_environment()).empty())
    return std::nullopt;
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
  const auto path_of = [&](std::int64_t version) {
    return folder + "/search-fts5-" + std::to_string(version) + ".sqlite";
  };
  // What earlier versions left; the first ones had no number.
  remove_index(folder + "/search.sqlite");
  for (std::int64_t version = 4; version < index_version; ++version)
    remove_index(path_of(version));
  const std::string path = path_of(index_version);
  return is_own_file_or_none(path) ? std::optional(path) : std::nullopt;
}

std::uint64_t identity_of(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

void remove_index(const std::string& path) {
  for (const char* ending : {"", "-wal", "-shm", "-journal"})
    ::unlink((path + ending).c_str());
}

}  // namespace notesdb::search
