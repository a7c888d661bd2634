#include "git/history.h"

#include <algorithm>

#include "core/text.h"
#include "database/write_rows.h"
#include "files/names.h"
#include "git/row_log.h"
#include "note/row_codec.h"

namespace notesdb {

namespace {

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

// Of what a merge did to a row, as seen from each of its sides, that which none of them had.
std::vector<RowDifference> made_by_merge(std::vector<RowDifference> rows, std::size_t sides) {
  std::vector<RowDifference> made;
  for (std::size_t i = 0; i + sides <= rows.size(); i += sides) {
    RowDifference row = std::move(rows[i]);
    row.fate = RowFate::changed;
    std::erase_if(row.fields, [&](const FieldDifference& field) {
      return std::any_of(rows.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                         rows.begin() + static_cast<std::ptrdiff_t>(i + sides),
                         [&](const RowDifference& side) {
                           return std::ranges::find(side.fields,
                                                    field.field,
                                                    &FieldDifference::field) == side.fields.end();
                         });
    });
    if (!row.fields.empty()) made.push_back(std::move(row));
  }
  return made;
}

// All changes of all commits read at once, then dealt out again.
Result<std::vector<Revision>> with_rows(const Repository& repository,
                                        const FileSystem& files,
                                        RowPaths& paths,
                                        const std::vector<LoggedCommit>& commits) {
  std::vector<FileChange> all;
  for (const LoggedCommit& commit : commits)
    all.insert(all.end(), commit.changes.begin(), commit.changes.end());
  Result<std::vector<RowDifference>> rows = describe_changes(repository, files, paths, all);
  if (!rows) return rows.error();
  std::vector<Revision> revisions;
  auto row = rows->begin();
  for (const LoggedCommit& commit : commits) {
    Revision revision{commit.commit, commit.author, commit.date, commit.message, {}};
    for (const FileChange& change : commit.changes) {
      if (row == rows->end() || row->path != change.path) continue;
      revision.rows.push_back(std::move(*row++));
    }
    if (commit.sides > 1) revision.rows = made_by_merge(std::move(revision.rows), commit.sides);
    if (!revision.rows.empty()) revisions.push_back(std::move(revision));
  }
  return revisions;
}

Result<Repository> repository_of(const Workspace& workspace) {
  return Repository::around(workspace.settings().root.value);
}

// Whether a caller gives the column's values; others are only in the file that is written back.
bool is_given(const Column* column) {
  return column == nullptr || (column->writable() && column->auto_date == AutoDate::none);
}

// What a change must hold so that the row becomes what it was.
Map fields_to_restore(const Schema& schema, const Row& then, const Row& now) {
  Map fields;
  for (const Column& column : schema.columns) {
    if (!is_given(&column)) continue;
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

// The write that makes the row what it was, judged as any other.
Result<WriteAnswer> write_back(Workspace& workspace,
                               const Database& database,
                               std::string_view row_id,
                               RowOperation::File file,
                               WriteMode mode) {
  Result<Note> note = Note::parse(file.bytes, note_format_of(file.path));
  if (!note) return note.error();
  Result<SchemaAnswer> schema = database.schema();
  if (!schema) return schema.error();
  Row then = read_row(schema->schema, *note);
  RowOperation operation{.database_id = database.id()};
  Result<FileBytes> there = workspace.files().read(file.path);
  if (there) {
    Result<Row> now = database.get(row_id);
    operation.action = RowAction::update;
    operation.change.row_id = row_id;
    operation.change.fields = fields_to_restore(schema->schema, then, now ? *now : Row{});
  } else {
    std::erase_if(then.fields,
                  [&](const Member& field) { return !is_given(schema->schema.find(field.key)); });
    operation.row = {.fields = std::move(then.fields), .row_id = std::string(row_id)};
  }
  operation.file = std::move(file);
  return write_row(workspace, operation, mode);
}

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
    Result<std::vector<LoggedCommit>> commits =
        row_id.empty() ? log_folder(*repository, path, most) : log_file(*repository, path, most);
    if (!commits) return commits.error();
    if (!commits->empty()) return with_rows(*repository, workspace.files(), paths, *commits);
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
  Result<std::vector<FileChange>> changes = repository->changes_since(*before);
  if (!to.empty()) {
    Result<std::string> after = repository->commit_of(to);
    if (!after) return after.error();
    changes = repository->changes({*before, *after});
  }
  if (!changes) return changes.error();
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
    if (*bytes) return write_back(workspace, **database, row_id, {path, **bytes}, mode);
  }
  return Error{ErrorCode::unknown_row,
               "there was no row '" + escape_controls(row_id) + "' in '" +
                   std::string(database_id) + "' then",
               Map{}};
}

}  // namespace notesdb
