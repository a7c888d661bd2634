#include "database/workspace_root.h"

#include <filesystem>

namespace notesdb {
namespace {

std::filesystem::path nearest_root(const std::filesystem::path& start) {
  std::error_code ignored;
  for (std::filesystem::path folder = start;; folder = folder.parent_path()) {
    if (std::filesystem::is_regular_file(folder / "notesdb.yaml", ignored)) return folder;
    if (folder == folder.parent_path()) return start;
  }
}

}  // namespace

Setting<std::string> find_workspace_root(const std::optional<std::string>& root_flag,
                                         const Environment& environment,
                                         const std::string& current_folder) {
  const auto meant = [&](const std::string& given) {
    if (given.empty()) return given;
    return (std::filesystem::path(current_folder) / given).lexically_normal().string();
  };
  if (root_flag) return {meant(*root_flag), SettingSource::flag};
  const auto variable = environment("NOTESDB_ROOT");
  if (variable && !variable->empty()) return {meant(*variable), SettingSource::environment};
  return {nearest_root(current_folder).string(), SettingSource::fallback};
}

}  // namespace notesdb
