#include "bases/base_files.h"

#include <charconv>
#include <optional>

#include "bases/base_file.h"

namespace notesdb::bases {

namespace {

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

std::vector<std::string> base_files(const Workspace& workspace, std::string_view folder) {
  auto found = workspace.database_ids();
  if (!found) return {};
  const std::string prefix = std::string(folder) + "/";
  if (folder != ".")
    std::erase_if(found->base_files,
                  [&](const std::string& path) { return !path.starts_with(prefix); });
  return std::move(found->base_files);
}

std::vector<BaseFileView> views_of_base_files(Workspace& workspace, std::string_view folder) {
  std::vector<BaseFileView> views;
  for (const std::string& path : base_files(workspace, folder)) {
    const auto base = read_base(workspace.files(), path);
    if (!base) continue;
    for (const View& view : base->views)
      views.push_back({path + "#" + view.name, view.name, view.type});
  }
  return views;
}

std::vector<Issue> issues_of_base_files(Workspace& workspace, std::string_view folder) {
  std::vector<Issue> issues;
  for (const std::string& path : base_files(workspace, folder)) {
    const auto base = read_base(workspace.files(), path);
    std::vector<Issue> found = base ? base->issues : std::vector<Issue>{issue_of(base.error())};
    for (Issue& issue : found) {
      issue.path = path;
      issues.push_back(std::move(issue));
    }
  }
  return issues;
}

}  // namespace notesdb::bases
