#include "git/history.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "core/text.h"
#include "git/repository.h"
#include "note/row_codec.h"

namespace notesdb {

namespace {

// Row log: the commits that changed some files, as git tells them, through renames and merges.
//
// A side that a merge decided against is told all the same, and what was done to a row under its
// old name on one side while the other renamed it. A name that was given to another row later is
// another row. Of a merge only those files are told that are as on none of its sides.

struct LoggedCommit {
  std::string commit;
  std::string author;
  std::string date;  // RFC 3339
  std::string message;
  std::size_t sides = 1;            // how many commits it joined
  std::vector<FileChange> changes;  // of a merge: each file once for each side, in that order
};

constexpr char commit_mark = '\x01';

std::string take_item(std::string_view& text) {
  std::size_t end = std::min(text.find('\0'), text.size());
  std::string item(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return item;
}

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
    LoggedCommit commit;
    commit.commit = take_item(entry);
    std::string parents = take_item(entry);
    commit.sides = 1 + static_cast<std::size_t>(std::ranges::count(parents, ' '));
    commit.author = to_utf8(take_item(entry));
    commit.date = take_item(entry);
    commit.message = to_utf8(take_item(entry));
    entry.remove_prefix(std::min(entry.find(':'), entry.size()));
    commit.changes = parse_raw_changes(entry, prefix);
    if (!commit.changes.empty()) commits.push_back(std::move(commit));
  }
  return commits;
}

// The words that name all commits of HEAD in parts, newest first, for as many runs of git at once
// as there are processors. A cut is an ancestor of the cut before it, so no commit is in two parts.
std::vector<Words> parts_of_history(const Repository& repository) {
  constexpr std::size_t worth_a_run = 250;
  constexpr std::size_t max_runs = 4;
  std::vector<Words> parts{{"HEAD"}};
  Result<std::string> text = repository.ask({"rev-list", "--first-parent", "HEAD"});
  if (!text) return parts;
  const std::size_t line = text->find('\n') + 1;  // every id is as long as the first
  const std::size_t commits = line == 0 ? 1 : (text->size() + 1) / line;
  const std::size_t runs = std::clamp<std::size_t>(
      std::min<std::size_t>(std::thread::hardware_concurrency(), commits / worth_a_run),
      1,
      max_runs);
  for (std::size_t i = 1; i < runs; ++i) {
    const std::string cut = text->substr(commits * i / runs * line, line - 1);
    parts.back().push_back("^" + cut);
    parts.push_back({cut});
  }
  return parts;
}

Result<std::vector<LoggedCommit>> run_log(const Repository& repository,
                                          const Words& options,
                                          const Words& commits,
                                          const std::vector<std::string>& paths) {
  Words words{"log",
              "--raw",
              "-z",
              "--no-abbrev",
              "--no-ext-diff",
              "--no-textconv",
              "--find-renames",
              "--format=%x01%H%x00%P%x00%an%x00%aI%x00%s%x00"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), commits.begin(), commits.end());
  words.emplace_back("--");
  words.insert(words.end(), paths.begin(), paths.end());
  Result<ProgramEnd> end = repository.run(words);
  if (!end) return end.error();
  if (!end->ok()) return repository.failure(*end, "log");
  return parse_log(end->out, repository.prefix());
}

Result<std::vector<LoggedCommit>> run_logs(const Repository& repository,
                                           const Words& options,
                                           const std::vector<std::string>& paths) {
  std::vector<std::future<Result<std::vector<LoggedCommit>>>> runs;
  for (Words& part : parts_of_history(repository)) {
    runs.push_back(std::async(std::launch::async, [&, part = std::move(part)] {
      return run_log(repository, options, part, paths);
    }));
  }
  std::vector<LoggedCommit> commits;
  for (auto& run : runs) {
    Result<std::vector<LoggedCommit>> found = run.get();
    if (!found) return found;
    std::ranges::move(*found, std::back_inserter(commits));
  }
  return commits;
}

// With what a side did that a merge decided against, and what a merge made that no side had.
Result<std::vector<LoggedCommit>> log_all(const Repository& repository,
                                          const std::vector<std::string>& paths,
                                          std::size_t most) {
  Words options{"--full-history", "-c"};
  // git counts merges that changed nothing, too: where clones sync often, every other commit.
  constexpr std::size_t in_proportion = 4;
  if (most > 0) options.push_back("--max-count=" + std::to_string(most * in_proportion));
  return run_logs(repository, options, paths);
}

void keep_newest(std::vector<LoggedCommit>& commits, std::size_t most) {
  if (most > 0 && commits.size() > most)
    commits.erase(commits.begin() + static_cast<std::ptrdiff_t>(most), commits.end());
}

// The commits after a renaming, of those that descend from it, that changed a file of the old name:
// another file.
Result<std::set<std::string>> reusing(const Repository& repository,
                                      const std::string& renaming,
                                      const std::string& old_path) {
  Result<std::string> text = repository.ask(
      {"rev-list", "--ancestry-path", "--full-history", renaming + "..HEAD", "--", old_path});
  if (!text) return text.error();
  std::set<std::string> commits;
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    commits.emplace(line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return commits;
}

struct Renaming {
  std::string commit;
  std::string old_path;
};

// The commit that seems to add a file, and took it from a name that is not known yet.
std::optional<Renaming> find_renaming(const Repository& repository,
                                      const std::vector<LoggedCommit>& commits,
                                      const std::vector<std::string>& names) {
  for (const LoggedCommit& commit : commits) {
    for (const FileChange& change : commit.changes) {
      if (change.status != 'A' || commit.sides > 1) continue;
      Result<std::vector<FileChange>> renamed =
          repository.changes({"--diff-filter=R", commit.commit + "^", commit.commit});
      if (!renamed) continue;  // the first commit of all
      auto found = std::ranges::find(*renamed, change.path, &FileChange::path);
      if (found == renamed->end()) continue;
      bool is_known = std::ranges::find(names, found->old_path) != names.end();
      if (!is_known) return Renaming{commit.commit, found->old_path};
    }
  }
  return std::nullopt;
}

// The commits that changed what lies below a folder, newest first; about `most`, 0 for all.
Result<std::vector<LoggedCommit>> log_folder(const Repository& repository,
                                             const std::string& folder,
                                             std::size_t most) {
  Result<std::vector<LoggedCommit>> commits = log_all(repository, {folder}, most);
  if (commits) keep_newest(*commits, most);
  return commits;
}

// The same of one file under all its names.
Result<std::vector<LoggedCommit>> log_file(const Repository& repository,
                                           const std::string& path,
                                           std::size_t most) {
  std::vector<std::string> names{path};
  std::map<std::string, std::set<std::string>> reused;
  Result<std::vector<LoggedCommit>> commits = log_all(repository, names, most);
  while (commits) {
    std::optional<Renaming> renaming = find_renaming(repository, *commits, names);
    if (!renaming) break;
    Result<std::set<std::string>> later = reusing(repository, renaming->commit, renaming->old_path);
    if (!later) return later.error();
    names.push_back(renaming->old_path);
    reused[renaming->old_path] = *std::move(later);
    commits = log_all(repository, names, most);
  }
  if (!commits) return commits;
  for (LoggedCommit& commit : *commits) {
    std::erase_if(commit.changes, [&](const FileChange& change) {
      auto found = reused.find(change.path);
      return found != reused.end() && found->second.contains(commit.commit);
    });
  }
  std::erase_if(*commits, [](const LoggedCommit& commit) { return commit.changes.empty(); });
  keep_newest(*commits, most);
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
