#include "database/cache_place.h"

#include <cstdlib>
#include <memory>

#include <sys/stat.h>

#include "core/text.h"
#include "files/etag.h"
#include "files/writable_path.h"

namespace notesdb {

// A relative $XDG_CACHE_HOME is invalid and ignored, as its specification wants it.
std::string cache_folder_of(const Environment& environment) {
  const auto cache = environment("XDG_CACHE_HOME");
  if (cache && cache->starts_with('/')) return *cache + "/notesdb";
  const auto home = environment("HOME");
  return home && home->starts_with('/') ? *home + "/.cache/notesdb" : "";
}

// What is in the cache is believed after a look at the dates of files, and it comes from notes.
std::string cache_problem_of(const Environment& environment) {
  const std::string folder = cache_folder_of(environment);
  struct stat status {};
  if (folder.empty() || ::lstat(folder.c_str(), &status) != 0) return "";
  const auto told = [&](const std::string& problem) {
    return "the cache folder " + escape_controls(folder) + " " + problem +
           ", so it is not used; remove it, or set XDG_CACHE_HOME to a folder of your own";
  };
  if (!S_ISDIR(status.st_mode)) return told("is not a folder");
  if (const auto problem = find_distrust(status, Trusted::us_alone)) return told(*problem);
  constexpr mode_t of_others = S_IRWXG | S_IRWXO;
  if ((status.st_mode & of_others) != 0) (void)::chmod(folder.c_str(), S_IRWXU);
  return "";
}

std::string cache_place(const Settings& settings) {
  if (!settings.cache.value || settings.cache_folder.empty()) return "";
  const std::string& root = settings.root.value;
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(root.c_str(), nullptr),
                                                         &std::free);
  return settings.cache_folder + "/" + to_text(etag_of(real ? std::string(real.get()) : root));
}

}  // namespace notesdb
