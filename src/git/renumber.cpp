#include "git/renumber.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "database/row_id.h"
#include "files/names.h"
#include "git/commit_work.h"
#include "git/recorded_renames.h"
#include "git/row_difference.h"
#include "git/untold_rows.h"
#include "note/links.h"
#include "schema/document.h"

namespace notesdb {

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
    std::vector<Renumbered> rows;
    Result<std::string> head = repository_.ask({"rev-parse", "HEAD"});
    if (!head) return head.error();
    const Result<std::vector<std::string>> bases = repository_.merge_bases(*head, upstream_);
    if (!bases) return bases.error();
    const std::string base = bases->empty() ? "" : bases->front();
    if (base == *head) return rows;  // nothing of ours
    if (Result<void> done = find_changed(base); !done) return done.error();
    Result<NamesSince> names_here = names_since(repository_, base, *head);
    if (!names_here) return names_here.error();
    Result<NamesSince> names_there = names_since(repository_, base, upstream_);
    if (!names_there) return names_there.error();
    given_ = std::move(names_there->given);
    for (const auto& [old_path, new_path] : names_there->renamed) {
      if (Result<void> done = plan_name(*names_here, {old_path, new_path}, rows); !done)
        return done.error();
    }
    for (const auto& [path, ids] : made_) {
      std::optional<RowPath> row = paths_.find(path);
      if (!row || named_.contains(path)) continue;
      if (made_there_.contains(path) && was_there(base, path)) continue;
      const bool is_gone = is_counter_row(*row) && is_another(given_, path, *ids.begin());
      if (!is_gone && !is_another(made_there_, path, *ids.begin())) continue;
      if (Result<void> done = plan_row(*row, path, rows); !done) return done.error();
    }
    for (const auto& [path, ids] : made_there_) {
      const auto given = names_here->given.find(path);
      const bool is_theirs =
          given != names_here->given.end() && ids.contains(*given->second.begin());
      if (made_.contains(path) || is_theirs || was_there(base, path)) continue;
      if (Result<void> done = plan_gone(path, rows); !done) return done.error();
    }
    return rows;
  }

  // Whether a row could not get its name, which is that of another row until that has its own.
  bool is_unfinished() const { return is_unfinished_; }

  Result<void> write(std::vector<Renumbered>& rows, Receipt& receipt) {
    if (Result<void> done = read_files(); !done) return done;
    for (const Renumbered& row : rows) {
      if (Result<void> done = read_file(row.old_path); !done) return done;
    }
    for (Renumbered& row : rows) {
      if (Result<void> done = relink_all(row); !done) return done;
    }
    if (Result<void> done = raise_counters(rows); !done) return done;
    Plan plan;
    plan.what = renumbering_words;
    plan.is_fixed = true;
    for (const Draft& draft : drafts_) {
      if (draft.new_path != draft.path && draft.bytes == draft.before) {
        plan.steps.push_back(Step::rename(draft.path, draft.new_path, draft.etag));
      } else if (draft.new_path != draft.path) {
        plan.steps.push_back(Step::create(draft.new_path, draft.bytes));
        plan.steps.back().like = draft.path;
        plan.steps.push_back(Step::remove(draft.path, draft.etag));
        plan.steps.back().new_path = draft.new_path;
      } else if (draft.bytes != draft.before) {
        plan.steps.push_back(Step::replace(draft.path, draft.etag, draft.bytes));
      }
    }
    keep_untold_rows(repository_, rows);
    const auto make = [&](Stage) -> Result<Plan> { return plan; };
    Result<Written> written = notesdb::commit(workspace_.files(), WriteMode::write, make, receipt);
    if (!written) return written.error();
    return commit(rows);
  }

 private:
  // Path -> objects of the files that a side made.
  using Added = std::map<std::string, std::set<std::string>>;

  Result<void> find_changed(const std::string& base) {
    const std::string from = base.empty() ? empty_tree : base;
    Result<std::vector<FileChange>> ours = repository_.changes({"--no-renames", from, "HEAD"});
    if (!ours) return ours.error();
    for (const FileChange& change : *ours) {
      if (change.status != 'D') changed_.insert(change.path);
      if (change.status == 'A') made_[change.path].insert(change.new_id);
    }
    Result<std::vector<FileChange>> theirs =
        repository_.changes({"--no-renames", "--diff-filter=A", from, upstream_});
    if (!theirs) return theirs.error();
    for (const FileChange& change : *theirs)
      made_there_[change.path].insert(change.new_id);
    return {};
  }

  // A row that the other side gave another name gets it here too, as the row that was pushed keeps
  // its id; also where we have given it one ourselves. One that we neither changed nor name is left
  // to the merge.
  Result<void> plan_name(const NamesSince& names_here,
                         const RecordedRename& rename,
                         std::vector<Renumbered>& rows) {
    const auto ours = names_here.renamed.find(rename.old_path);
    const bool is_ours = ours != names_here.renamed.end();
    if (!is_ours && names_here.remade.contains(rename.old_path)) return {};
    const std::string& now = is_ours ? ours->second : rename.old_path;
    if (now == rename.new_path) named_.insert(now);
    if (now == rename.new_path) return {};
    const std::optional<RowPath> from = paths_.find(now);
    const std::optional<RowPath> to = paths_.find(rename.new_path);
    const auto found = workspace_.files().stat(now);
    if (!from || !to || from->database_id != to->database_id || !found ||
        found->kind != FileKind::regular)
      return {};
    Renumbered row{from->database_id, from->row_id, to->row_id, {}, now};
    Result<bool> is_wanted = is_ours || changed_.contains(now) ? true : is_named(row);
    if (!is_wanted) return is_wanted.error();
    if (!*is_wanted) return {};
    named_.insert(now);
    if (made_.contains(rename.new_path)) {
      is_unfinished_ = true;
      return {};
    }
    rows.push_back(std::move(row));
    return {};
  }

  // Whether a file that we changed has a reference to a row.
  Result<bool> is_named(const Renumbered& row) {
    if (Result<void> done = read_files(); !done) return done.error();
    for (const Draft& draft : drafts_) {
      Result<std::optional<std::string>> bytes = relinked(paths_, draft.path, draft.bytes, row);
      if (!bytes) return bytes.error();
      if (*bytes) return true;
    }
    return false;
  }

  // A row that was there before the sides parted, and is there again, is one that was kept or brought
  // back: no number is given twice.
  bool was_there(const std::string& base, const std::string& path) const {
    Result<std::string> commit = repository_.ask({"rev-list", "-1", base, "--", path});
    return commit && !commit->empty();
  }

  Result<void> plan_row(const RowPath& row,
                        const std::string& path,
                        std::vector<Renumbered>& rows) {
    Result<std::string> new_id = new_id_of(row);
    if (!new_id) return new_id.error();
    rows.push_back({row.database_id, row.row_id, *new_id, {}, path});
    return {};
  }

  // A row of ours that was deleted before anybody else saw it, even before a commit, and has left
  // references after: they name nothing, and are not to name the row that the other side made under
  // its id, nor any that will be made: no number is safe from that, since nobody else hears of it.
  Result<void> plan_gone(const std::string& path, std::vector<Renumbered>& rows) {
    std::optional<RowPath> row = paths_.find(path);
    if (!row || !is_counter_row(*row)) return {};
    const Result<bool> was_ours = was_given(*row);
    if (!was_ours) return was_ours.error();
    if (!*was_ours) return {};
    Result<std::vector<std::string>*> taken = taken_in(*row);
    if (!taken) return taken.error();
    std::string no_id = row->row_id + "-deleted";
    if (std::ranges::find(**taken, no_id) != (*taken)->end())
      no_id = free_row_id({}, no_id, **taken);
    Renumbered gone{row->database_id, row->row_id, std::move(no_id), {}, path};
    Result<bool> named = is_named(gone);
    if (!named) return named.error();
    if (*named) rows.push_back(std::move(gone));
    return {};
  }

  // Whether this side has come past a number: one that it has yet to give was never its own.
  Result<bool> was_given(const RowPath& row) {
    const Schema& schema = row.folder->schema();
    const auto listing = row.folder->list_rows(workspace_.files());
    if (!listing) return listing.error();
    std::int64_t highest = 0;
    for (const std::string& path : listing->paths) {
      const auto number = counter_of(row.folder->names().id_of(path), schema.row_id.prefix);
      highest = std::max(highest, number.value_or(0));
    }
    return counter_of(row.row_id, schema.row_id.prefix) < next_number(schema, highest);
  }

  static bool is_another(const Added& added, const std::string& path, const std::string& id) {
    const auto found = added.find(path);
    return found != added.end() && !found->second.contains(id);
  }

  Result<std::string> new_id_of(const RowPath& row) {
    Result<std::vector<std::string>*> taken = taken_in(row);
    if (!taken) return taken.error();
    std::string id = free_row_id(row.folder->schema().row_id, row.row_id, **taken);
    (*taken)->push_back(id);
    return id;
  }

  // The ids that no other row of a database may be given.
  Result<std::vector<std::string>*> taken_in(const RowPath& row) {
    std::vector<std::string>& taken = taken_[row.database_id];
    if (taken.empty()) {
      Result<RowListing> listing = row.folder->list_rows(workspace_.files());
      if (!listing) return listing.error();
      for (const std::string& path : listing->paths)
        taken.emplace_back(std::string_view(row.folder->names().id_of(path)));
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
    return &taken;
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

  // The rows that we changed: in any other a reference to a row is as old as the row itself, and
  // the other side has it as well. Once.
  Result<void> read_files() {
    if (std::exchange(has_read_, true)) return {};
    for (const std::string& path : changed_) {
      if (!paths_.find(path)) continue;
      if (Result<void> done = read_file(path); !done) return done;
    }
    return {};
  }

  Result<void> read_file(const std::string& path) {
    if (std::ranges::find(drafts_, path, &Draft::path) != drafts_.end()) return {};
    Result<FileBytes> file = workspace_.files().read(path);
    if (!file && file.error().code == ErrorCode::unknown_row) return {};
    if (!file) return file.error();
    drafts_.push_back({path, path, file->etag, file->bytes, std::move(file->bytes)});
    return {};
  }

  Result<void> relink_all(Renumbered& row) {
    for (Draft& draft : drafts_) {
      if (draft.path == row.old_path) draft.new_path = row.new_path = new_path_of(row);
      Result<std::optional<std::string>> bytes = relinked(paths_, draft.path, draft.bytes, row);
      if (!bytes) return bytes.error();
      if (!*bytes) continue;
      draft.bytes = **std::move(bytes);
      row.changed.push_back(draft.path);
    }
    return {};
  }

  // Where the row lies under its new id, as it lay under the old one.
  std::string new_path_of(const Renumbered& row) {
    std::shared_ptr<const DatabaseFolder> folder = paths_.database(row.database_id);
    std::vector<std::string> before = folder->names().candidates(row.old_id);
    std::vector<std::string> after = folder->names().candidates(row.new_id);
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
      if (folder->full_path(before[i]) == row.old_path) return folder->full_path(after[i]);
    }
    return row.old_path;
  }

  // next_row_id stays above every number in use, where a schema has it.
  Result<void> raise_counters(const std::vector<Renumbered>& rows) {
    for (const Renumbered& row : rows) {
      std::shared_ptr<const DatabaseFolder> folder = paths_.database(row.database_id);
      std::optional<std::int64_t> number = counter_of(row.new_id, folder->schema().row_id.prefix);
      if (Result<void> done = read_file(folder->schema_path()); !done) return done;
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
  std::set<std::string, std::less<>> changed_;  // that are here since the sides parted, or differ
  Added made_;
  Added made_there_;
  Added given_;  // also where they are gone since or have another name: whoever has not heard of
                 // that yet still edits, and links to, what lay there
  std::vector<Draft> drafts_;
  bool has_read_ = false;
  bool is_unfinished_ = false;
  std::set<std::string> named_;  // paths of rows whose name is resolved between the sides
};

}  // namespace

Result<std::optional<std::string>> relinked(RowPaths& paths,
                                            const std::string& path,
                                            const std::string& bytes,
                                            const Renumbered& row) {
  const std::optional<std::string> unchanged;
  if (bytes.find(row.old_id) == std::string::npos) return unchanged;
  std::optional<RowPath> holder = paths.find(path);
  if (!holder) return unchanged;
  Result<Note> note = Note::parse(bytes, note_format_of(path));
  if (!note) return unchanged;  // an unreadable row names nothing
  Relink how{row.database_id, row.old_id, row.new_id, {}};
  how.rewrite =
      rewrite_by_id(std::string(folder_of(path)), how, holder->database_id == row.database_id);
  Result<Edit> edit = relink(holder->folder->schema(), how, *note);
  if (!edit) return edit.error();
  return *edit == Edit::unchanged ? unchanged : std::optional(note->bytes());
}

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
  std::vector<Renumbered> all;
  constexpr int max_rounds = 3;
  for (int round = 0; round < max_rounds; ++round) {
    Renumbering renumbering(workspace, repository, upstream);
    Result<std::vector<Renumbered>> rows = renumbering.plan();
    if (!rows) return rows;
    if (!rows->empty() && mode == RenumberMode::write) {
      if (Result<void> done = renumbering.write(*rows, receipt); !done) return done.error();
    }
    std::ranges::move(*rows, std::back_inserter(all));
    if (rows->empty() || !renumbering.is_unfinished() || mode == RenumberMode::plan) break;
  }
  return all;
}

}  // namespace notesdb
