#include "check/check.h"

#include <algorithm>
#include <utility>

#include "check/file_check.h"
#include "core/text.h"
#include "database/health.h"
#include "database/schema_check.h"
#include "files/store.h"
#include "index/database_folder.h"
#include "index/paths.h"

namespace notesdb {
namespace {

bool is_wanted(const CheckRequest& request, const std::string& path) {
  return !request.paths || request.paths->contains(path);
}

// Whether a database holds any of the files that are asked for.
bool is_asked_for(const CheckRequest& request, const std::string& id) {
  if (!request.paths || id == ".") return !request.paths || !request.paths->empty();
  const auto first = request.paths->lower_bound(id + "/");
  return first != request.paths->end() && first->starts_with(id + "/");
}

// The databases to look at, and what stands in the way of finding more.
Result<DatabaseIds> databases_of(Workspace& workspace, const CheckRequest& request) {
  if (request.database_id.empty()) {
    auto all = workspace.database_ids();
    if (all) std::erase_if(all->ids, [&](const auto& id) { return !is_asked_for(request, id); });
    return all;
  }
  const auto database = workspace.get(request.database_id);
  if (!database) return database.error();
  return DatabaseIds{{request.database_id}, {}};
}

Issue unreadable_schema(const FileSystem& files, const std::string& id, const Error& error) {
  Issue issue;
  issue.path = DatabaseFolder::find_schema_file(files, id).value_or(id);
  issue.rule = "schema";
  issue.message = error.message;
  const std::string prefix = issue.path + ": ";
  if (issue.message.starts_with(prefix)) issue.message.erase(0, prefix.size());
  return issue;
}

Result<std::vector<Issue>> issues_of(Workspace& workspace, const std::string& id) {
  const auto database = workspace.get(id);
  if (!database) return database.error();
  auto issues = (*database)->issues();
  if (!issues) return issues.error();
  const auto folder = DatabaseFolder::read(workspace.files(), id);
  if (!folder) return folder.error();
  const SchemaDocument& document = (*folder)->document();
  const auto ids = workspace.database_ids();
  if (!ids) return ids.error();
  const auto others = other_schemas(workspace.files(), ids->ids, id, document.schema);
  auto problems = check_values(document.schema);
  for (ColumnProblem& problem : check_relations(document.schema, others))
    problems.push_back(std::move(problem));
  for (const ColumnProblem& problem : problems) {
    issues->push_back(to_issue(problem, document));
    issues->back().path = (*folder)->schema_path();
  }
  auto more = check_files(workspace.files(), **folder);
  if (!more) return more.error();
  issues->insert(issues->end(), more->begin(), more->end());
  return std::move(*issues);
}

void sort_issues(std::vector<Issue>& issues) {
  std::stable_sort(issues.begin(), issues.end(), [](const Issue& a, const Issue& b) {
    if (const int order = compare_natural(a.path, b.path); order != 0) return order < 0;
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
}

struct Fixing {
  std::vector<FixedFile> files;
  Plan plan;
};

Result<void> fix_file(const FileSystem& files,
                      const DatabaseFolder& folder,
                      const std::string& path,
                      Fixing& fixing) {
  auto bytes = files.read(path);
  if (!bytes) {
    if (bytes.error().code == ErrorCode::unknown_row) return {};
    return bytes.error();
  }
  auto note = Note::parse(bytes->bytes, note_format_of(path));
  if (!note) return {};  // unreadable: for a person to look at
  auto fields = fix_note(folder.schema(), *note);
  if (fields.empty()) return {};
  fixing.files.push_back({path, std::move(fields)});
  fixing.plan.replace(path, bytes->etag, bytes->bytes, note->bytes());
  return {};
}

Result<void> fix_database(Workspace& workspace,
                          const std::string& id,
                          const CheckRequest& request,
                          Fixing& fixing) {
  const auto folder = DatabaseFolder::read(workspace.files(), id);
  if (!folder) return {};
  const auto database = workspace.get(id);
  if (!database) return database.error();
  const auto issues = (*database)->issues();
  if (!issues) return issues.error();
  std::string last = (*folder)->schema_path();
  for (const Issue& issue : *issues) {
    const bool is_new = issue.path != last && is_wanted(request, issue.path);
    if (!is_new || issue.line == 0) continue;
    last = issue.path;
    if (auto done = fix_file(workspace.files(), **folder, issue.path, fixing); !done) return done;
  }
  return {};
}

}  // namespace

Result<CheckAnswer> check(Workspace& workspace, const CheckRequest& request) {
  auto found = databases_of(workspace, request);
  if (!found) return found.error();
  CheckAnswer answer;
  answer.issues = std::move(found->issues);
  answer.databases = static_cast<std::int64_t>(found->ids.size());
  for (const std::string& id : found->ids) {
    auto issues = issues_of(workspace, id);
    if (issues) {
      answer.issues.insert(answer.issues.end(), issues->begin(), issues->end());
    } else {
      answer.issues.push_back(unreadable_schema(workspace.files(), id, issues.error()));
    }
  }
  if (std::string warning = store_warning(workspace.settings()); !warning.empty()) {
    Issue& issue = answer.issues.emplace_back();
    issue.path = store_name;
    issue.severity = Severity::warning;
    issue.rule = "store";
    issue.message = std::move(warning);
  }
  std::erase_if(answer.issues, [&](const Issue& issue) { return !is_wanted(request, issue.path); });
  for (Issue& issue : answer.issues) {  // what is about a whole file is about its first line
    issue.line = std::max(issue.line, std::uint32_t{1});
    issue.column = std::max(issue.column, std::uint32_t{1});
  }
  sort_issues(answer.issues);
  return answer;
}

Result<FixAnswer> fix(Workspace& workspace, const CheckRequest& request, WriteMode mode) {
  if (auto writable = workspace.check_writable(); !writable) return writable.error();
  if (mode == WriteMode::write) (void)workspace.files().recover();
  FixAnswer answer;
  const auto make = [&](Stage stage) -> Result<Plan> {
    Fixing fixing{{}, Plan(stage)};
    const auto found = databases_of(workspace, request);
    if (!found) return found.error();
    for (const std::string& id : found->ids) {
      if (auto done = fix_database(workspace, id, request, fixing); !done) return done.error();
    }
    answer.files = std::move(fixing.files);
    fixing.plan.what = "fixes of check";
    return std::move(fixing.plan);
  };
  const auto written = commit(workspace.files(), mode, make, answer);
  if (!written) return written.error();
  return answer;
}

}  // namespace notesdb
