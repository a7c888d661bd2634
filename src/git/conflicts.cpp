#include "git/conflicts.h"

#include <algorithm>

#include <unistd.h>

#include "database/row_plan.h"
#include "files/names.h"
#include "git/row_difference.h"
#include "git/row_merge.h"

namespace notesdb {

namespace {

RowConflict at_path(RowPaths& paths, const std::string& path) {
  RowConflict conflict{path, "", "", "", {}};
  if (std::optional<RowPath> row = paths.find(path)) {
    conflict.database_id = row->database_id;
    conflict.row_id = row->row_id;
  } else if (is_schema_path(path)) {
    conflict.database_id = std::string(folder_of(path));
    conflict.row_id = "_schema";
  }
  return conflict;
}

// The files of every database that may hold markers: all rows, and the schema.
Result<std::vector<std::string>> files_with_rows(Workspace& workspace, RowPaths& paths) {
  Result<DatabaseIds> databases = workspace.database_ids();
  if (!databases) return databases.error();
  std::vector<std::string> files;
  for (const std::string& id : databases->ids) {
    if (auto path = DatabaseFolder::find_schema_file(workspace.files(), id)) files.push_back(*path);
    std::shared_ptr<const DatabaseFolder> database = paths.database(id);
    if (!database) continue;
    Result<RowListing> listing = database->list_rows(workspace.files());
    if (!listing) return listing.error();
    for (const std::string& path : listing->paths)
      files.push_back(database->full_path(path));
  }
  return files;
}

void add_marked(const FileSystem& files,
                RowPaths& paths,
                const std::string& path,
                std::vector<RowConflict>& conflicts) {
  Result<FileBytes> file = files.read(path);
  if (!file || find_conflicts(file->bytes).empty()) return;
  for (MergeConflict& found : conflicts_in(file->bytes, note_format_of(path))) {
    RowConflict conflict = at_path(paths, path);
    conflict.field = std::move(found.field);
    conflict.values = std::move(found.values);
    conflicts.push_back(std::move(conflict));
  }
}

std::optional<Value> said(const std::string& id) {
  return id.empty() ? Value("deleted") : Value("kept");
}

// Whether git waits for a word about a whole file: one side deleted it.
bool is_about_the_row(const Unmerged& entry) {
  return entry.ours.empty() || entry.theirs.empty();
}

bool is_here(const Repository& repository, const std::string& path) {
  return ::access((repository.root() + "/" + path).c_str(), F_OK) == 0;
}

// The file may be more by now than the side that kept it: whoever has edited it since the merge
// does not lose that.
Result<void> resolve_row(const Repository& repository,
                         const std::string& path,
                         const Unmerged& entry,
                         ConflictSide side) {
  if (side == ConflictSide::base) {
    return Error{
        ErrorCode::invalid_argument, "a deleted row is resolved with ours or theirs", Map{}};
  }
  const bool is_ours = side == ConflictSide::ours;
  const bool is_gone = (is_ours ? entry.ours : entry.theirs).empty();
  if (is_gone && is_here(repository, path)) {
    Result<std::string> now = repository.ask({"hash-object", "--", path});
    if (!now) return now.error();
    if (*now != (is_ours ? entry.theirs : entry.ours)) {
      return Error{ErrorCode::conflict,
                   "'" + path + "' was edited after the merge; take the side that keeps it, and " +
                       "delete the row then if that is meant",
                   Map{{"path", path}}};
    }
  }
  Words words{"add", "--", path};
  if (is_gone) {
    words = {"rm", "--quiet", "--force", "--", path};
  } else if (!is_here(repository, path)) {
    Words checkout{"checkout", is_ours ? "--ours" : "--theirs", "--", path};
    if (Result<std::string> done = repository.change(checkout); !done) return done.error();
  }
  Result<std::string> done = repository.change(words);
  return done ? Result<void>() : done.error();
}

class Resolving {
 public:
  Resolving(Workspace& workspace, const ResolveRequest& request)
      : workspace_(workspace), request_(request), paths_(workspace.files()) {}

  Result<Resolved> run() {
    Result<std::string> path = path_of_row();
    if (!path) return path.error();
    resolved_.path = *path;
    if (request_.how.field == row_field || request_.how.field.empty()) {
      if (std::optional<Result<Resolved>> done = resolve_deleted()) return *done;
    }
    const WriteMode mode = request_.dry_run ? WriteMode::dry_run : WriteMode::write;
    const auto make = [&](Stage stage) { return plan(stage); };
    const auto written = commit(workspace_.files(), mode, make, resolved_);
    if (!written) return written.error();
    if (!request_.dry_run && resolved_.still_in_conflict.empty()) {
      if (Result<void> done = tell_git(); !done) return done.error();
    }
    return resolved_;
  }

 private:
  // Nothing of the file is undecided any more.
  Result<void> tell_git() const {
    const Result<Repository> repository = repository_around();
    if (!repository) return {};
    const auto unmerged = unmerged_paths(*repository);
    if (!unmerged) return unmerged.error();
    if (!unmerged->contains(resolved_.path)) return {};
    const Result<std::string> done = repository->change({"add", "--", resolved_.path});
    return done ? Result<void>() : done.error();
  }

  Result<Plan> plan(Stage stage) {
    Result<FileBytes> file = workspace_.files().read(resolved_.path);
    if (!file) return file.error();
    NoteFormat format = note_format_of(resolved_.path);
    Result<std::string> resolved = resolve(file->bytes, format, how_);
    if (!resolved) return resolved.error();
    resolved_.still_in_conflict.clear();
    for (MergeConflict& conflict : conflicts_in(*resolved, format))
      resolved_.still_in_conflict.push_back(std::move(conflict.field));
    if (request_.row_id == "_schema") {
      Plan plan(stage);
      plan.replace(resolved_.path, file->etag, file->bytes, *std::move(resolved));
      return plan;
    }
    // A value is judged as in every write; a side is what a row held already.
    RowOperation operation{.action = RowAction::update, .database_id = request_.database_id};
    operation.change.row_id = request_.row_id;
    if (how_.value && how_.column != nullptr)
      operation.change.fields.push_back({how_.field, *how_.value});
    operation.file = {resolved_.path, *std::move(resolved)};
    return plan_row(workspace_, stage, operation);
  }

  Result<std::string> path_of_row() {
    std::shared_ptr<const DatabaseFolder> database = paths_.database(request_.database_id);
    if (!database) {
      Result<Database*> found = workspace_.get(request_.database_id);
      if (!found) return found.error();
      return Error{ErrorCode::malformed_file, "the schema of this database cannot be read", Map{}};
    }
    how_ = request_.how;
    how_.column = database->schema().find(how_.field);
    if (request_.row_id == "_schema") return database->schema_path();
    Result<std::optional<std::string>> row =
        database->find_row(workspace_.files(), request_.row_id);
    if (!row) return row.error();
    if (*row) return database->full_path(**row);
    return path_of_missing(*database);
  }

  // A row that we deleted is in git's index only.
  Result<std::string> path_of_missing(const DatabaseFolder& database) {
    if (Result<Repository> repository = repository_around(); repository) {
      const auto unmerged = unmerged_paths(*repository);
      if (!unmerged) return unmerged.error();
      for (const auto& [path, entry] : *unmerged) {
        std::optional<RowPath> row = paths_.find(path);
        if (row && row->database_id == database.id() && row->row_id == request_.row_id) return path;
      }
    }
    Result<Database*> found = workspace_.get(request_.database_id);
    if (!found) return found.error();
    Result<Row> row = (*found)->get(request_.row_id);
    return row ? Error{ErrorCode::conflict, "the row changed meanwhile", Map{}} : row.error();
  }

  Result<Repository> repository_around() const {
    return Repository::around(workspace_.settings().root.value);
  }

  std::optional<Result<Resolved>> resolve_deleted() {
    Result<Repository> repository = repository_around();
    if (!repository) return std::nullopt;
    const auto unmerged = unmerged_paths(*repository);
    if (!unmerged) return unmerged.error();
    const auto found = unmerged->find(resolved_.path);
    if (found == unmerged->end() || !is_about_the_row(found->second)) return std::nullopt;
    if (!request_.how.side) {
      return Error{ErrorCode::invalid_argument, "a deleted row is resolved with a side", Map{}};
    }
    if (request_.dry_run) return resolved_;
    Result<void> done = resolve_row(*repository, resolved_.path, found->second, *request_.how.side);
    if (!done) return done.error();
    return resolved_;
  }

  Workspace& workspace_;
  const ResolveRequest& request_;
  RowPaths paths_;
  Resolution how_;
  Resolved resolved_;
};

}  // namespace

Result<std::map<std::string, Unmerged>> unmerged_paths(const Repository& repository) {
  std::map<std::string, Unmerged> found;
  Result<ProgramEnd> end = repository.run({"ls-files", "--unmerged", "-z", "--", "."});
  if (!end) return end.error();
  if (!end->ok()) return repository.failure(*end, "ls-files");
  std::string_view rest = end->out;
  while (!rest.empty()) {  // mode SP id SP stage TAB path NUL
    std::string_view item = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    std::size_t tab = item.find('\t');
    std::size_t first = item.find(' ');
    if (tab == std::string_view::npos || tab < 2) continue;
    Unmerged& entry = found[std::string(item.substr(tab + 1))];
    std::string id(item.substr(first + 1, item.find(' ', first + 1) - first - 1));
    switch (item[tab - 1]) {
      case '1': entry.base = std::move(id); break;
      case '2': entry.ours = std::move(id); break;
      default: entry.theirs = std::move(id); break;
    }
  }
  return found;
}

Result<std::vector<RowConflict>> find_conflicting_rows(Workspace& workspace) {
  RowPaths paths(workspace.files());
  Result<std::vector<std::string>> files = files_with_rows(workspace, paths);
  if (!files) return files.error();
  Result<Repository> repository = Repository::around(workspace.settings().root.value);
  return find_conflicts_among(workspace, repository ? &*repository : nullptr, *files);
}

Result<std::vector<RowConflict>> find_conflicts_among(Workspace& workspace,
                                                      const Repository* repository,
                                                      const std::vector<std::string>& files) {
  RowPaths paths(workspace.files());
  std::vector<RowConflict> conflicts;
  for (const std::string& path : files)
    add_marked(workspace.files(), paths, path, conflicts);
  if (repository == nullptr) return conflicts;
  const auto unmerged = unmerged_paths(*repository);
  if (!unmerged) return unmerged.error();
  for (const auto& [path, entry] : *unmerged) {
    if (!is_about_the_row(entry)) continue;
    RowConflict conflict = at_path(paths, path);
    conflict.field = row_field;
    conflict.values = {said(entry.base), said(entry.ours), said(entry.theirs)};
    conflicts.push_back(std::move(conflict));
  }
  return conflicts;
}

Result<Resolved> resolve_conflict(Workspace& workspace, const ResolveRequest& request) {
  return Resolving(workspace, request).run();
}

}  // namespace notesdb
