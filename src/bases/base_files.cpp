#include "bases/base_files.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "bases/base_file.h"
#include "core/budget.h"
#include "core/text.h"
#include "files/names.h"

namespace notesdb::bases {

namespace {

void add_files(const FileSystem& files,
               const std::string& folder,
               std::vector<std::string>& found) {
  Budget::look();
  const auto entries = files.list(folder);
  if (!entries) return;
  for (const Entry& entry : *entries) {
    if (entry.name.starts_with('.') || entry.name == "node_modules" || !is_utf8(entry.name))
      continue;
    std::string path = folder == "." ? entry.name : join_path(folder, entry.name);
    if (entry.kind == FileKind::folder && !is_too_deep(path)) add_files(files, path, found);
    if (entry.kind == FileKind::regular && path.ends_with(".base"))
      found.push_back(std::move(path));
  }
}

Result<BaseFile> read_base(const FileSystem& files, const std::string& path) {
  auto read = files.read(path);
  if (!read) return read.error();
  return parse_base(std::move(read->bytes));
}

// "line 3: why" of a file that is no YAML map.
Issue issue_of(const Error& error) {
  Issue issue;
  issue.rule = "base";
  issue.message = error.message;
  constexpr std::string_view prefix = "line ";
  const std::size_t colon = issue.message.find(": ");
  if (!issue.message.starts_with(prefix) || colon == std::string::npos) return issue;
  const char* const begin = issue.message.data() + prefix.size();
  const char* const end = issue.message.data() + colon;
  if (std::from_chars(begin, end, issue.line).ptr == end) issue.message.erase(0, colon + 2);
  return issue;
}

}  // namespace

std::vector<std::string> base_files(const FileSystem& files, std::string_view folder) {
  std::vector<std::string> found;
  add_files(files, std::string(folder), found);
  std::ranges::sort(found, [](const auto& a, const auto& b) { return compare_natural(a, b) < 0; });
  return found;
}

std::vector<BaseFileView> views_of_base_files(const FileSystem& files, std::string_view folder) {
  std::vector<BaseFileView> views;
  for (const std::string& path : base_files(files, folder)) {
    const auto base = read_base(files, path);
    if (!base) continue;
    for (const View& view : base->views)
      views.push_back({path + "#" + view.name, view.name, view.type});
  }
  return views;
}

std::vector<Issue> issues_of_base_files(const FileSystem& files, std::string_view folder) {
  std::vector<Issue> issues;
  for (const std::string& path : base_files(files, folder)) {
    const auto base = read_base(files, path);
    std::vector<Issue> found = base ? base->issues : std::vector<Issue>{issue_of(base.error())};
    for (Issue& issue : found) {
      issue.path = path;
      issues.push_back(std::move(issue));
    }
  }
  return issues;
}

}  // namespace notesdb::bases
