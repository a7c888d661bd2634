#include "database/workspace_root.h"

#include <boost/filesystem.hpp>

namespace notesdb {
namespace {

namespace fs = boost::filesystem;

// A link counts, so that the one who reads the settings refuses it by name.
fs::path nearest_root(const fs::path& start) {
  boost::system::error_code ignored;
  for (fs::path folder = start;; folder = folder.parent_path()) {
    const fs::file_type kind = fs::symlink_status(folder / "notesdb.yaml", ignored).type();
    if (kind == fs::regular_file || kind == fs::symlink_file) return folder;
    if (folder == folder.parent_path() || folder.empty()) return start;
  }
}

}  // namespace

Setting<std::string> find_workspace_root(const std::optional<std::string>& root_flag,
                                         const Environment& environment,
                                         const std::string& current_folder) {
  const auto meant = [&](const std::string& given) {
    if (given.empty()) return given;
    const fs::path path(given);
    return (path.is_absolute() ? path : fs::path(current_folder) / path)
        .lexically_normal()
        .string();
  };
  if (root_flag) return {meant(*root_flag), SettingSource::flag};
  const auto variable = environment("NOTESDB_ROOT");
  if (variable && !variable->empty()) return {meant(*variable), SettingSource::environment};
  return {nearest_root(current_folder).string(), SettingSource::fallback};
}

}  // namespace notesdb
