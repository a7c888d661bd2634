#include "database/database_search.h"

#include <algorithm>
#include <utility>

#include "core/file_name.h"
#include "core/text.h"
#include "files/file_system.h"
#include "files/names.h"
#include "index/paths.h"

namespace notesdb {
namespace {

Issue issue_at(const std::string& path, std::string rule, std::string message) {
  Issue issue;
  issue.path = to_utf8(path);
  issue.rule = std::move(rule);
  issue.message = std::move(message);
  return issue;
}

bool looks_like_row(std::string_view name) {
  return !row_file_ending(name).empty();
}

}  // namespace

DatabaseSearch::Folder DatabaseSearch::list(const FileSystem& files, const std::string& path) {
  Folder folder;
  const std::int64_t begun_at = clock_ns();
  if (const auto stat = files.stat(path)) {
    folder.key = stat->key;
    folder.is_sure = notesdb::is_sure(stat->key, begun_at);
  }
  const auto entries = files.list(path);
  if (!entries) {
    folder.is_sure = false;
    if (entries.error().code != ErrorCode::unknown_row)
      folder.issues.push_back(issue_at(path, "folder", entries.error().message));
    return folder;
  }
  for (const Entry& entry : *entries) {
    const auto inner_path = [&] { return join_path(path, entry.name); };
    if (is_schema_name(entry.name)) {
      if (entry.kind == FileKind::regular) {
        folder.is_database = true;
      } else {
        folder.issues.push_back(
            issue_at(inner_path(), "schema", "no regular file, so it is not read"));
      }
    } else if (entry.kind == FileKind::regular) {
      if (entry.name.ends_with(".base") && !entry.name.starts_with('.') && is_utf8(entry.name))
        folder.base_files.push_back(inner_path());
    } else if (entry.kind == FileKind::folder) {
      if (is_skipped_folder(entry.name) || !is_utf8(entry.name)) continue;
      const std::string inner = inner_path();
      if (is_too_deep(inner)) {
        folder.issues.push_back(
            issue_at(inner, "folder", "nested deeper than 64 folders, so it is not looked into"));
      } else {
        folder.below.push_back(inner);
      }
    } else if (entry.kind == FileKind::link && !is_skipped_folder(entry.name) &&
               !looks_like_row(entry.name) && !is_dropping(entry.name)) {
      folder.issues.push_back(issue_at(inner_path(), "link", "symbolic link, not followed"));
    }
  }
  return folder;
}

DatabaseIds DatabaseSearch::find(const FileSystem& files) {
  const std::lock_guard guard(mutex_);
  // Taken out, so that nothing is remembered where memory runs out in between.
  std::map<std::string, Folder> known = std::exchange(known_, {});
  std::map<std::string, Folder> seen;
  DatabaseIds found;
  std::vector<std::string> paths = {"."};
  while (!paths.empty()) {
    const std::string path = std::move(paths.back());
    paths.pop_back();
    const auto before = known.find(path);
    const auto stat = before != known.end() && before->second.is_sure
                          ? files.stat(path)
                          : Result<FileStat>(FileStat{});
    const bool is_same = stat && stat->kind == FileKind::folder && stat->key == before->second.key;
    const Folder& folder =
        seen.emplace(path, is_same ? std::move(before->second) : list(files, path)).first->second;
    if (folder.is_database) found.ids.push_back(path);
    found.issues.insert(found.issues.end(), folder.issues.begin(), folder.issues.end());
    paths.insert(paths.end(), folder.below.begin(), folder.below.end());
    found.base_files.insert(
        found.base_files.end(), folder.base_files.begin(), folder.base_files.end());
  }
  known_ = std::move(seen);
  const auto before = [](const auto& a, const auto& b) { return compare_natural(a, b) < 0; };
  std::ranges::sort(found.ids, before);
  std::ranges::sort(found.base_files, before);
  std::ranges::sort(found.issues, [](const Issue& a, const Issue& b) {
    return compare_natural(a.path, b.path) < 0;
  });
  return found;
}

}  // namespace notesdb
