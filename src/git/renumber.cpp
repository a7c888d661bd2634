#include "git/renumber.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "database/row_id.h"
#include "files/names.h"
#include "git/commit_work.h"
#include "git/row_difference.h"
#include "note/links.h"
#include "schema/document.h"

namespace notesdb {

namespace {

constexpr std::string_view trailer = "Notesdb-Renamed";
constexpr std::string_view arrow = " => ";

// Old names and what they are now; renames follow one another.
class Names {
 public:
  void add(const std::string& old_path, const std::string& new_path) {
    const auto before = old_of_.find(old_path);
    const std::string first = before == old_of_.end() ? old_path : before->second;
    if (before != old_of_.end()) old_of_.erase(before);
    old_of_[new_path] = first;
  }

  std::vector<RecordedRename> list(const std::set<std::string, std::less<>>& gone,
                                   const std::set<std::string, std::less<>>& made) const {
    std::vector<RecordedRename> renames;
    for (const auto& [now, old] : old_of_) {
      if (gone.contains(old) && made.contains(now)) renames.push_back({old, now});
    }
    return renames;
  }

 private:
  std::map<std::string, std::string> old_of_;
};

std::vector<RecordedRename> among(const Names& names, const std::vector<FileChange>& changes) {
  std::set<std::string, std::less<>> gone;
  std::set<std::string, std::less<>> made;
  for (const FileChange& change : changes) {
    if (change.status == 'D') gone.insert(change.path);
    if (change.status == 'A') made.insert(change.path);
  }
  return names.list(gone, made);
}

// A name that a line cannot hold, or that holds the arrow, is not written down.
bool can_be_written(std::string_view path) {
  return path.find(arrow) == std::string_view::npos &&
         std::ranges::none_of(path, [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

}  // namespace

std::string rename_trailers(const Repository& repository,
                            const std::vector<RecordedRename>& renames) {
  std::string lines;
  for (const RecordedRename& rename : renames) {
    if (!can_be_written(rename.old_path) || !can_be_written(rename.new_path)) continue;
    lines += std::string(trailer) + ": " + repository.prefix() + rename.old_path +
             std::string(arrow) + repository.prefix() + rename.new_path + "\n";
  }
  return lines.empty() ? "" : "\n" + lines;
}

std::vector<RecordedRename> renames_of_work(const FileSystem& files,
                                            const std::vector<FileChange>& changes) {
  constexpr std::size_t all = 1'000'000;
  Result<std::vector<JournalEntry>> steps = files.history("", all);
  if (!steps) return {};
  Names names;
  for (auto step = steps->rbegin(); step != steps->rend(); ++step) {
    if (step->kind == StepKind::rename) names.add(step->path, step->new_path);
  }
  return among(names, changes);
}

Result<std::vector<RecordedRename>> renames_since(const Repository& repository,
                                                  const std::string& base,
                                                  const std::string& side) {
  Result<ProgramEnd> log =
      repository.run({"log",
                      "--reverse",
                      "--topo-order",
                      "--format=%(trailers:key=" + std::string(trailer) + ",valueonly)",
                      base + ".." + side});
  if (!log) return log.error();
  if (!log->ok()) return repository.failure(*log, "log");
  Names names;
  const std::string& prefix = repository.prefix();
  std::string_view rest = log->out;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t middle = line.find(arrow);
    if (middle == std::string_view::npos) continue;
    const std::string_view old_path = line.substr(0, middle);
    const std::string_view new_path = line.substr(middle + arrow.size());
    if (!old_path.starts_with(prefix) || !new_path.starts_with(prefix)) continue;
    names.add(std::string(old_path.substr(prefix.size())),
              std::string(new_path.substr(prefix.size())));
  }
  Result<std::vector<FileChange>> changes =
      repository.changes({"--no-renames", "--diff-filter=AD", base, side});
  if (!changes) return changes.error();
  return among(names, *changes);
}

namespace {

// A file as it will be after renumbering.
struct Draft {
  std::string path;      // as it is now
  std::string new_path;  // the same, but for a renamed row
  Etag etag;
  std::string before;
  std::string bytes;
};

class Renumbering {
 public:
  Renumbering(Workspace& workspace, const Repository& repository, std::string upstream)
      : workspace_(workspace),
        repository_(repository),
        upstream_(std::move(upstream)),
        paths_(workspace.files()) {}

  Result<std::vector<Renumbered>> plan() {
    Result<std::string> base = repository_.ask({"merge-base", "HEAD", upstream_});
    Result<Added> ours = added_since(base ? *base : empty_tree, "HEAD");
    if (!ours) return ours.error();
    Result<Added> theirs = added_since(base ? *base : empty_tree, upstream_);
    if (!theirs) return theirs.error();
    const std::string since_base = base ? *base + ".." : "";
    Result<Added> given = given_in(since_base + upstream_);
    if (!given) return given.error();
    given_ = *std::move(given);
    std::vector<Renumbered> rows;
    if (base) {
      if (Result<void> done = plan_names(*base, *ours, rows); !done) return done.error();
    }
    for (const auto& [path, ids] : *ours) {
      std::optional<RowPath> row = paths_.find(path);
      if (!row || named_.contains(path)) continue;
      if (theirs->contains(path) && base && was_there(*base, path)) continue;
      const bool is_gone = is_counter(*row) && is_another(given_, path, *ids.begin());
      if (!is_gone && !is_another(*theirs, path, *ids.begin())) continue;
      if (Result<void> done = plan_row(*row, path, rows); !done) return done.error();
    }
    Result<Added> given_here = given_in(since_base + "HEAD");
    if (!given_here) return given_here.error();
    for (const auto& [path, ids] : *given_here) {
      if (ours->contains(path) || !is_another(*theirs, path, *ids.begin())) continue;
      if (Result<void> done = plan_gone(path, rows); !done) return done.error();
    }
    return rows;
  }

  Result<void> write(std::vector<Renumbered>& rows, Receipt& receipt) {
    if (Result<void> done = read_files(); !done) return done;
    for (Renumbered& row : rows) {
      if (Result<void> done = relink_all(row); !done) return done;
    }
    if (Result<void> done = raise_counters(rows); !done) return done;
    Plan plan;
    plan.what = "renumbering of rows";
    plan.is_fixed = true;
    for (const Draft& draft : drafts_) {
      if (draft.new_path != draft.path) {
        Step made = Step::create(draft.new_path, draft.bytes);
        made.like = draft.path;
        plan.steps.push_back(std::move(made));
        plan.steps.push_back(Step::remove(draft.path, draft.etag));
      } else if (draft.bytes != draft.before) {
        plan.steps.push_back(Step::replace(draft.path, draft.etag, draft.bytes));
      }
    }
    const auto make = [&](Stage) -> Result<Plan> { return plan; };
    Result<Written> written = notesdb::commit(workspace_.files(), WriteMode::write, make, receipt);
    if (!written) return written.error();
    return commit(rows);
  }

 private:
  // Path -> objects of the files that a side made.
  using Added = std::map<std::string, std::set<std::string>>;

  // The rows that the other side gave another name get it here too, as the row that was pushed
  // keeps its id; also where we have given it one ourselves.
  Result<void> plan_names(const std::string& base,
                          const Added& added_here,
                          std::vector<Renumbered>& rows) {
    Result<std::vector<RecordedRename>> theirs = renames_since(repository_, base, upstream_);
    if (!theirs || theirs->empty()) return theirs ? Result<void>() : theirs.error();
    Result<std::vector<RecordedRename>> ours = renames_since(repository_, base, "HEAD");
    if (!ours) return ours.error();
    for (const RecordedRename& rename : *theirs) {
      const auto same = std::ranges::find(*ours, rename.old_path, &RecordedRename::old_path);
      const std::string& now = same == ours->end() ? rename.old_path : same->new_path;
      if (now == rename.new_path) named_.insert(now);
      if (now == rename.new_path || added_here.contains(rename.new_path)) continue;
      const std::optional<RowPath> from = paths_.find(now);
      const std::optional<RowPath> to = paths_.find(rename.new_path);
      const auto found = workspace_.files().stat(now);
      if (!from || !to || from->database_id != to->database_id || !found ||
          found->kind != FileKind::regular)
        continue;
      rows.push_back({from->database_id, from->row_id, to->row_id, {}});
      path_of_[from->database_id + "/" + from->row_id] = now;
      named_.insert(now);
    }
    return {};
  }

  // A row that was there before the sides parted, and is there again on both, is one that both have
  // kept or brought back: no number is given twice.
  bool was_there(const std::string& base, const std::string& path) const {
    Result<std::string> commit = repository_.ask({"rev-list", "-1", base, "--", path});
    return commit && !commit->empty();
  }

  Result<void> plan_row(const RowPath& row,
                        const std::string& path,
                        std::vector<Renumbered>& rows) {
    Result<std::string> new_id = new_id_of(row);
    if (!new_id) return new_id.error();
    rows.push_back({row.database_id, row.row_id, *new_id, {}});
    path_of_[row.database_id + "/" + row.row_id] = path;
    return {};
  }

  // A row of ours that was deleted before anybody else saw it, and has left references after: they
  // name nothing, and are not to name the row that the other side made under its id.
  Result<void> plan_gone(const std::string& path, std::vector<Renumbered>& rows) {
    std::optional<RowPath> row = paths_.find(path);
    if (!row || !is_counter(*row)) return {};
    if (Result<void> done = read_files(); !done) return done;
    Renumbered named{row->database_id, row->row_id, row->row_id + "-gone", {}};
    for (const Draft& draft : drafts_) {
      Result<std::optional<std::string>> bytes = relinked(draft, named);
      if (!bytes) return bytes.error();
      if (*bytes) return plan_row(*row, path, rows);
    }
    return {};
  }

  // Those that are there, of the ones made since `base`.
  Result<Added> added_since(const std::string& base, const std::string& side) {
    Result<std::vector<FileChange>> changes =
        repository_.changes({"--no-renames", "--diff-filter=A", base, side});
    if (!changes) return changes.error();
    return by_path(*changes);
  }

  // Those that any commit made, also where they are gone since or have another name: whoever has
  // not heard of that yet still edits, and links to, what lay there.
  Result<Added> given_in(const std::string& commits) {
    Result<std::vector<FileChange>> changes =
        repository_.logged_changes({"--no-renames", "--diff-filter=A", commits});
    if (!changes) return changes.error();
    return by_path(*changes);
  }

  static Added by_path(const std::vector<FileChange>& changes) {
    Added added;
    for (const FileChange& change : changes)
      added[change.path].insert(change.new_id);
    return added;
  }

  static bool is_another(const Added& added, const std::string& path, const std::string& id) {
    const auto found = added.find(path);
    return found != added.end() && !found->second.contains(id);
  }

  // Ids of other styles are chosen for what they say, and are free again when their row is gone.
  static bool is_counter(const RowPath& row) {
    const RowIdRule& rule = row.folder->schema().row_id;
    return rule.style == RowIdStyle::counter && counter_of(row.row_id, rule.prefix).has_value();
  }

  Result<std::string> new_id_of(const RowPath& row) {
    std::vector<std::string>& taken = taken_[row.database_id];
    if (taken.empty()) {
      Result<RowListing> listing = row.folder->list_rows(workspace_.files());
      if (!listing) return listing.error();
      for (const std::string& path : listing->paths)
        taken.emplace_back(row.folder->names().id_of(path));
      Result<std::vector<TreeEntry>> tree = repository_.tree_of(upstream_);
      if (!tree) return tree.error();
      for (const TreeEntry& entry : *tree) {
        std::optional<RowPath> other = paths_.find(entry.path);
        if (other && other->database_id == row.database_id) taken.push_back(other->row_id);
      }
      for (const auto& [path, ids] : given_) {
        std::optional<RowPath> other = paths_.find(path);
        if (other && other->database_id == row.database_id) taken.push_back(other->row_id);
      }
      take_given(row.folder->schema(), taken);
      if (std::optional<Schema> theirs = schema_of_theirs(*row.folder)) take_given(*theirs, taken);
    }
    std::string id = free_row_id(row.folder->schema().row_id, row.row_id, taken);
    taken.push_back(id);
    return id;
  }

  // A number below next_row_id was given once: to a row that is gone or has another name.
  static void take_given(const Schema& schema, std::vector<std::string>& taken) {
    const std::int64_t next = next_number(schema, 0);
    if (next > 1) taken.push_back(counter_id(schema.row_id.prefix, next - 1, schema.row_id.digits));
  }

  std::optional<Schema> schema_of_theirs(const DatabaseFolder& folder) {
    Result<std::optional<std::string>> bytes = repository_.file_in(upstream_, folder.schema_path());
    if (!bytes || !*bytes) return std::nullopt;
    Result<SchemaDocument> document =
        parse_schema(std::move(**bytes), note_format_of(folder.schema_path()));
    return document ? std::optional(std::move(document->schema)) : std::nullopt;
  }

  // Once.
  Result<void> read_files() {
    if (!drafts_.empty()) return {};
    Result<DatabaseIds> databases = workspace_.database_ids();
    if (!databases) return databases.error();
    for (const std::string& id : databases->ids) {
      std::shared_ptr<const DatabaseFolder> folder = paths_.database(id);
      if (!folder) continue;
      Result<RowListing> listing = folder->list_rows(workspace_.files());
      if (!listing) return listing.error();
      for (const std::string& path : listing->paths) {
        if (Result<void> done = read_file(folder->full_path(path)); !done) return done;
      }
      if (Result<void> done = read_file(folder->schema_path()); !done) return done;
    }
    return {};
  }

  Result<void> read_file(const std::string& path) {
    Result<FileBytes> file = workspace_.files().read(path);
    if (!file) return file.error();
    drafts_.push_back({path, path, file->etag, file->bytes, std::move(file->bytes)});
    return {};
  }

  Result<void> relink_all(Renumbered& row) {
    const std::string& old_path = path_of_[row.database_id + "/" + row.old_id];
    for (Draft& draft : drafts_) {
      if (draft.path == old_path) draft.new_path = new_path_of(row, old_path);
      Result<std::optional<std::string>> bytes = relinked(draft, row);
      if (!bytes) return bytes.error();
      if (!*bytes) continue;
      draft.bytes = **std::move(bytes);
      row.changed.push_back(draft.path);
    }
    return {};
  }

  // A file with the new id in its references; nothing where it has none to the row.
  Result<std::optional<std::string>> relinked(const Draft& draft, const Renumbered& row) {
    const std::optional<std::string> unchanged;
    if (draft.bytes.find(row.old_id) == std::string::npos) return unchanged;
    std::optional<RowPath> holder = paths_.find(draft.path);
    if (!holder) return unchanged;
    Result<Note> note = Note::parse(draft.bytes, note_format_of(draft.path));
    if (!note) return unchanged;  // an unreadable row names nothing
    Relink how{row.database_id, row.old_id, row.new_id, {}};
    how.rewrite = rewrite_by_id(
        std::string(folder_of(draft.path)), how, holder->database_id == row.database_id);
    Result<Edit> edit = relink(holder->folder->schema(), how, *note);
    if (!edit) return edit.error();
    return *edit == Edit::unchanged ? unchanged : std::optional(note->bytes());
  }

  // Where the row lies under its new id, as it lay under the old one.
  std::string new_path_of(const Renumbered& row, const std::string& old_path) {
    std::shared_ptr<const DatabaseFolder> folder = paths_.database(row.database_id);
    std::vector<std::string> before = folder->names().candidates(row.old_id);
    std::vector<std::string> after = folder->names().candidates(row.new_id);
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
      if (folder->full_path(before[i]) == old_path) return folder->full_path(after[i]);
    }
    return old_path;
  }

  // next_row_id stays above every number in use, where a schema has it.
  Result<void> raise_counters(const std::vector<Renumbered>& rows) {
    for (const Renumbered& row : rows) {
      std::shared_ptr<const DatabaseFolder> folder = paths_.database(row.database_id);
      std::optional<std::int64_t> number = counter_of(row.new_id, folder->schema().row_id.prefix);
      auto draft = std::ranges::find(drafts_, folder->schema_path(), &Draft::path);
      if (!number || draft == drafts_.end()) continue;
      Result<SchemaDocument> document =
          parse_schema(draft->bytes, note_format_of(folder->schema_path()));
      if (!document) return document.error();
      if (document->schema.next_row_id.value_or(0) > *number) continue;
      Result<std::string> raised = with_next_row_id(*document, *number + 1);
      if (!raised) return raised.error();
      draft->bytes = *raised;
    }
    return {};
  }

  Result<void> commit(const std::vector<Renumbered>& rows) {
    std::string message = "Give rows the ids that hold in all clones\n\n";
    for (const Renumbered& row : rows)
      message += row.database_id + "/" + row.old_id + " is now " + row.new_id + "\n";
    std::vector<RecordedRename> renames;
    for (const Draft& draft : drafts_) {
      if (draft.new_path != draft.path) renames.push_back({draft.path, draft.new_path});
    }
    message += rename_trailers(repository_, renames);
    if (Result<void> added = add_work(repository_); !added) return added;
    Result<ProgramEnd> end =
        repository_.run(GitCall{.words = {"commit", "--quiet", "--file=-", "--", "."},
                                .input = message,
                                .use = GitUse::change});
    if (!end) return end.error();
    return end->ok() ? Result<void>() : repository_.failure(*end, "commit");
  }

  Workspace& workspace_;
  const Repository& repository_;
  std::string upstream_;
  RowPaths paths_;
  std::map<std::string, std::vector<std::string>> taken_;
  std::map<std::string, std::string> path_of_;
  Added given_;
  std::vector<Draft> drafts_;
  std::set<std::string> named_;  // paths of rows whose name is resolved between the sides
};

}  // namespace

std::string free_row_id(const RowIdRule& rule,
                        const std::string& old_id,
                        const std::vector<std::string>& taken) {
  bool is_counter =
      rule.style == RowIdStyle::counter && counter_of(old_id, rule.prefix).has_value();
  if (is_counter) {
    std::int64_t highest = 0;
    for (const std::string& id : taken)
      highest = std::max(highest, counter_of(id, rule.prefix).value_or(0));
    return counter_id(rule.prefix, highest + 1, rule.digits);
  }
  for (int number = 2;; ++number) {
    std::string id = old_id + "-" + std::to_string(number);
    if (std::ranges::find(taken, id) == taken.end()) return id;
  }
}

Result<std::vector<Renumbered>> renumber_rows(Workspace& workspace,
                                              const Repository& repository,
                                              const std::string& upstream,
                                              RenumberMode mode,
                                              Receipt& receipt) {
  Renumbering renumbering(workspace, repository, upstream);
  Result<std::vector<Renumbered>> rows = renumbering.plan();
  if (!rows || rows->empty() || mode == RenumberMode::plan) return rows;
  if (Result<void> done = renumbering.write(*rows, receipt); !done) return done.error();
  return rows;
}

}  // namespace notesdb
