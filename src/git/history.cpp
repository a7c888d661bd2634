#include "git/history.h"

#include <algorithm>

#include "core/text.h"
#include "database/diff.h"
#include "files/names.h"
#include "note/row_codec.h"

namespace notesdb {

namespace {

constexpr char commit_mark = '\x01';

std::string take_item(std::string_view& text) {
  std::size_t end = std::min(text.find('\0'), text.size());
  std::string item(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return item;
}

struct LoggedCommit {
  Revision revision;
  std::vector<FileChange> changes;
};

std::vector<LoggedCommit> parse_log(std::string_view text, const std::string& prefix) {
  std::vector<LoggedCommit> commits;
  while (!text.empty()) {
    if (text.front() != commit_mark) {
      text.remove_prefix(1);
      continue;
    }
    text.remove_prefix(1);
    std::size_t next = std::min(text.find(std::string{'\0', commit_mark}), text.size());
    std::string_view entry = text.substr(0, next);
    text.remove_prefix(next);
    Revision revision;
    revision.commit = take_item(entry);
    revision.author = to_utf8(take_item(entry));
    revision.date = take_item(entry);
    revision.message = to_utf8(take_item(entry));
    entry.remove_prefix(std::min(entry.find(':'), entry.size()));
    commits.push_back({std::move(revision), parse_raw_changes(entry, prefix)});
  }
  return commits;
}

// The files that a row may be or have been: the one that is there, else all that it could be.
Result<std::vector<std::string>> paths_of_row(const FileSystem& files,
                                              const DatabaseFolder& folder,
                                              std::string_view row_id) {
  Result<std::optional<std::string>> path = folder.find_row(files, row_id);
  if (!path) return path.error();
  if (*path) return std::vector<std::string>{folder.full_path(**path)};
  std::vector<std::string> paths;
  for (const std::string& candidate : folder.names().candidates(row_id))
    paths.push_back(folder.full_path(candidate));
  return paths;
}

Result<std::vector<LoggedCommit>> run_log(const Repository& repository,
                                          const std::string& path,
                                          bool is_row,
                                          std::size_t most) {
  Words words{"log",
              "--raw",
              "-z",
              "--no-abbrev",
              "--find-renames",
              "--format=%x01%H%x00%an%x00%aI%x00%s%x00"};
  if (is_row) words.emplace_back("--follow");
  if (most > 0) words.push_back("--max-count=" + std::to_string(most));
  words.insert(words.end(), {"--", path});
  Result<ProgramEnd> end = repository.run(words);
  if (!end) return end.error();
  if (!end->ok()) return repository.failure(*end, "log");
  return parse_log(end->out, repository.prefix());
}

// All changes of all commits read at once, then dealt out again.
Result<std::vector<Revision>> with_rows(const Repository& repository,
                                        const FileSystem& files,
                                        RowPaths& paths,
                                        std::vector<LoggedCommit> commits) {
  std::vector<FileChange> all;
  for (const LoggedCommit& commit : commits)
    all.insert(all.end(), commit.changes.begin(), commit.changes.end());
  Result<std::vector<RowDifference>> rows = describe_changes(repository, files, paths, all);
  if (!rows) return rows.error();
  std::vector<Revision> revisions;
  auto row = rows->begin();
  for (LoggedCommit& commit : commits) {
    for (const FileChange& change : commit.changes) {
      if (row == rows->end() || row->path != change.path) continue;
      commit.revision.rows.push_back(std::move(*row++));
    }
    if (!commit.revision.rows.empty()) revisions.push_back(std::move(commit.revision));
  }
  return revisions;
}

Result<Repository> repository_of(const Workspace& workspace) {
  return Repository::around(workspace.settings().root.value);
}

// What a change must hold so that the row becomes what it was.
Map fields_to_restore(const Schema& schema, const Row& then, const Row& now) {
  Map fields;
  for (const Column& column : schema.columns) {
    if (!column.writable()) continue;
    const Value* was = find_member(then.fields, column.id);
    const Value* is = find_member(now.fields, column.id);
    if (was != nullptr && (is == nullptr || *was != *is)) {
      fields.push_back({column.id, *was});
    } else if (was == nullptr && is != nullptr) {
      fields.push_back({column.id, nullptr});
    }
  }
  return fields;
}

class Restoring {
 public:
  Restoring(Workspace& workspace, Database& database, std::string_view row_id, WriteMode mode)
      : workspace_(workspace), database_(database), row_id_(row_id), mode_(mode) {}

  Result<WriteAnswer> run(const std::string& path, const std::string& bytes) {
    Result<Note> note = Note::parse(bytes, note_format_of(path));
    if (!note) return note.error();
    Result<SchemaAnswer> answer = database_.schema();
    if (!answer) return answer.error();
    Row then = read_row(answer->schema, *note);
    Result<FileBytes> file = workspace_.files().read(path);
    Result<WriteAnswer> checked = file ? check_change(answer->schema, then) : check_new(then);
    if (!checked) return checked;
    if (mode_ == WriteMode::dry_run) {
      checked->diff =
          file ? unified_diff(path, file->bytes, bytes) : unified_diff(path, std::nullopt, bytes);
      return checked;
    }
    if (file && file->bytes == bytes) {
      checked->changed = false;
      return checked;
    }
    Result<Written> written = file ? workspace_.files().replace(path, file->etag, bytes)
                                   : workspace_.files().create(path, bytes);
    if (!written) return written.error();
    Result<Row> row = database_.get(row_id_);
    if (!row) return row.error();
    return WriteAnswer{*row, true, written->change, "", written->notes, written->durable};
  }

 private:
  Result<WriteAnswer> check_change(const Schema& schema, const Row& then) {
    Result<Row> now = database_.get(row_id_);
    RowChange change;
    change.row_id = row_id_;
    change.fields = fields_to_restore(schema, then, now ? *now : Row{});
    change.body = then.body;
    return database_.update(change, WriteMode::dry_run);
  }

  Result<WriteAnswer> check_new(const Row& then) {
    NewRow row;
    row.fields = then.fields;
    row.row_id = row_id_;
    return database_.insert(row, WriteMode::dry_run);
  }

  Workspace& workspace_;
  Database& database_;
  std::string row_id_;
  WriteMode mode_;
};

}  // namespace

Result<std::vector<Revision>> log_rows(Workspace& workspace,
                                       std::string_view database_id,
                                       std::string_view row_id,
                                       std::size_t most) {
  Result<Database*> database = workspace.get(database_id);
  if (!database) return database.error();
  Result<Repository> repository = repository_of(workspace);
  if (!repository) return repository.error();
  RowPaths paths(workspace.files());
  std::shared_ptr<const DatabaseFolder> folder = paths.database(database_id);
  if (!folder) return Error{ErrorCode::malformed_file, "the schema cannot be read", Map{}};
  std::vector<std::string> wanted{std::string(database_id)};
  if (!row_id.empty()) {
    Result<std::vector<std::string>> files = paths_of_row(workspace.files(), *folder, row_id);
    if (!files) return files.error();
    wanted = *std::move(files);
  }
  for (const std::string& path : wanted) {
    Result<std::vector<LoggedCommit>> commits = run_log(*repository, path, !row_id.empty(), most);
    if (!commits) return commits.error();
    if (!commits->empty())
      return with_rows(*repository, workspace.files(), paths, *std::move(commits));
  }
  return std::vector<Revision>{};
}

Result<std::vector<RowDifference>> compare_states(Workspace& workspace,
                                                  std::string_view from,
                                                  std::string_view to) {
  Result<Repository> repository = repository_of(workspace);
  if (!repository) return repository.error();
  Result<std::string> before = repository->commit_of(from.empty() ? "HEAD" : from);
  if (!before) return before.error();
  Words between{*before};
  if (!to.empty()) {
    Result<std::string> after = repository->commit_of(to);
    if (!after) return after.error();
    between.push_back(*after);
  }
  Result<std::vector<FileChange>> changes = repository->changes(between);
  if (!changes) return changes.error();
  if (to.empty()) {
    Result<ProgramEnd> end =
        repository->run({"ls-files", "--others", "--exclude-standard", "-z", "--", "."});
    if (!end) return end.error();
    std::string_view rest = end->out;
    while (!rest.empty()) {
      std::string path = take_item(rest);
      changes->push_back({'A', path, path, "", ""});
    }
  }
  RowPaths paths(workspace.files());
  return describe_changes(*repository, workspace.files(), paths, *changes);
}

Result<WriteAnswer> restore_row(Workspace& workspace,
                                std::string_view database_id,
                                std::string_view row_id,
                                std::string_view revision,
                                WriteMode mode) {
  Result<Database*> database = workspace.get(database_id);
  if (!database) return database.error();
  Result<Repository> repository = repository_of(workspace);
  if (!repository) return repository.error();
  Result<std::string> commit = repository->commit_of(revision);
  if (!commit) return commit.error();
  RowPaths paths(workspace.files());
  std::shared_ptr<const DatabaseFolder> folder = paths.database(database_id);
  if (!folder) return Error{ErrorCode::malformed_file, "the schema cannot be read", Map{}};
  Result<std::vector<std::string>> files = paths_of_row(workspace.files(), *folder, row_id);
  if (!files) return files.error();
  for (const std::string& path : *files) {
    Result<std::optional<std::string>> bytes = repository->file_in(*commit, path);
    if (!bytes) return bytes.error();
    if (*bytes) return Restoring(workspace, **database, row_id, mode).run(path, **bytes);
  }
  return Error{ErrorCode::unknown_row,
               "there was no row '" + escape_controls(row_id) + "' in '" +
                   std::string(database_id) + "' then",
               Map{}};
}

}  // namespace notesdb
