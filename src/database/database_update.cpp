#include <algorithm>

#include "core/forgetting_lock.h"
#include "core/text.h"
#include "database/database.h"
#include "database/diff.h"
#include "database/key_order.h"
#include "database/references.h"
#include "database/relation_targets.h"
#include "database/row_access.h"
#include "database/row_id.h"
#include "database/table_check.h"
#include "database/taken_ids.h"
#include "database/validate.h"
#include "files/etag.h"
#include "files/untold_notes.h"
#include "index/row_cache.h"
#include "note/row_codec.h"

namespace notesdb {

// A row as it is and as it shall be.
struct RowEdit {
  std::shared_ptr<const DatabaseFolder> folder;
  RowFile before;
  RowFile after;
  bool judges_unique = false;  // whether other rows have a say, which takes the lock
  References references;       // of a row that gets another id

  bool renames() const { return before.id != after.id; }
  bool changes() const {
    return before.path != after.path || before.note.bytes() != after.note.bytes();
  }
};

namespace {

constexpr int most_attempts = 1000;

bool names_unique(const Schema& schema, const Map& fields) {
  return std::any_of(fields.begin(), fields.end(), [&](const Member& field) {
    const Column* column = schema.find(field.key);
    return column != nullptr && column->unique;
  });
}

Result<void> edit_note(const Schema& schema,
                       const RowChange& change,
                       const Map& fields,
                       const std::vector<std::string>& key_order,
                       Note& note) {
  if (auto done = write_fields(schema, fields, key_order, note); !done) return done.error();
  if (change.body) {
    if (auto done = note.set_body(*change.body); !done) return done.error();
  }
  if (change.append_body) {
    if (auto done = note.append_body(*change.append_body); !done) return done.error();
  }
  return {};
}

// The path of a row under another id: the same kind of file.
std::string path_of_new_id(const DatabaseFolder& folder,
                           const RowFile& file,
                           const std::string& new_id) {
  const std::string_view rest =
      std::string_view(file.path).substr(folder.full_path(file.id).size());
  for (const std::string& path : folder.names().candidates(new_id)) {
    std::string full = folder.full_path(path);
    if (full.ends_with(rest)) return full;
  }
  return folder.full_path(folder.names().candidates(new_id).front());
}

// The row's own file under its new path, and what it says of itself.
Result<void> rename_row(const FileSystem& files,
                        const DatabaseFolder& folder,
                        const std::string& new_id,
                        RowEdit& edit) {
  const RowRenaming renaming{folder.id(), edit.before.id, new_id, edit.before.path};
  if (auto done = relink(folder.schema(), relink_of_itself(renaming), edit.after.note); !done) {
    return done.error();
  }
  edit.after.path = path_of_new_id(folder, edit.before, new_id);
  edit.after.id = new_id;
  auto references = relink_references(files, renaming);
  if (!references) return references.error();
  edit.references = std::move(*references);
  return {};
}

std::vector<Step> steps_of_row(const RowEdit& edit) {
  const RowFile& before = edit.before;
  const RowFile& after = edit.after;
  std::vector<Step> steps;
  if (before.path == after.path) {
    Step step = Step::replace(before.path, before.etag, after.note.bytes());
    step.seen = before.key;
    steps.push_back(std::move(step));
  } else if (before.note.bytes() == after.note.bytes()) {
    steps.push_back(Step::rename(before.path, after.path, before.etag));
  } else {
    Step made = Step::create(after.path, after.note.bytes());
    made.like = before.path;
    steps.push_back(std::move(made));
    steps.push_back(Step::remove(before.path, before.etag));
  }
  return steps;
}

std::vector<Step> steps_of(const RowEdit& edit) {
  std::vector<Step> steps = steps_of_row(edit);
  if (edit.renames() && edit.folder->schema().rows.layout == RowLayout::folder) {
    steps.push_back(Step::remove_folder(edit.folder->full_path(edit.before.id)));
  }
  for (const RelinkedNote& note : edit.references.notes)
    steps.push_back(Step::replace(note.path, note.etag, note.after));
  return steps;
}

void describe_references(const RowEdit& edit, WriteAnswer& answer) {
  answer.references = static_cast<std::int64_t>(edit.references.notes.size());
  for (const std::string& path : edit.references.unread) {
    answer.notes.push_back(path + " cannot be read; it may still name the row '" + edit.before.id +
                           "'");
  }
}

Value conflict_row(const Row& row) {
  Value value = Map{{"id", row.id}, {"etag", to_text(row.etag)}, {"fields", row.fields}};
  value.set("body", row.body);
  value.set("modified", row.modified);
  if (!row.extra.empty()) value.set("extra", row.extra);
  return value;
}

bool was_overtaken(const Error& error) {
  return error.code == ErrorCode::conflict || error.code == ErrorCode::unknown_row;
}

std::string diff_of(const RowEdit& edit) {
  if (edit.before.path == edit.after.path) {
    return unified_diff(edit.before.path, edit.before.note.bytes(), edit.after.note.bytes());
  }
  std::string diff = unified_diff(edit.before.path, edit.before.note.bytes(), std::nullopt) +
                     unified_diff(edit.after.path, std::nullopt, edit.after.note.bytes());
  for (const RelinkedNote& note : edit.references.notes)
    diff += unified_diff(note.path, note.before, note.after);
  return diff;
}

}  // namespace

Error Database::stale(const DatabaseFolder& folder, const RowFile& file) const {
  return Error{ErrorCode::conflict,
               "CONFLICT: the row '" + file.id +
                   "' has changed since it was read; its etag is now " + to_text(file.etag) +
                   ", with which the change can be made again",
               Map{}}
      .with("etag", to_text(file.etag))
      .with("row", conflict_row(to_row(folder, file)));
}

// One that differs in case alone finds itself on a file system that folds names, and is no other
// row anywhere.
Result<void> Database::check_free(const DatabaseFolder& folder,
                                  const std::string& own_id,
                                  const std::string& new_id) const {
  if (auto allowed = check_new_row_id(new_id); !allowed) return allowed.error();
  const auto existing = folder.find_row(files_, new_id);
  if (!existing) return existing.error();
  if (*existing && !FoldedId(own_id).is_one_name_with(new_id)) return id_taken(new_id, new_id);
  const ForgettingLock guard(*cache_);
  if (const auto now = cache_->folder(); !now) return now.error();
  const auto table = cache_->rows();
  if (!table) return table.error();
  const std::string taken = TakenIds(**table).like(new_id, own_id);
  if (taken.empty()) return {};
  return id_taken(new_id, taken);
}

Result<void> Database::check_unique(const Map& fields, std::string_view row_id) const {
  const ForgettingLock guard(*cache_);
  const auto folder = cache_->folder();
  if (!folder) return folder.error();
  const auto table = cache_->rows();
  if (!table) return table.error();
  const auto repeated = find_repeated(**table, (*folder)->schema(), fields, row_id);
  if (repeated.empty()) return {};
  return refuse(repeated);
}

Result<RowEdit> Database::plan_update(const RowChange& change) const {
  const auto current = folder();
  if (!current) return current.error();
  const Schema& schema = (*current)->schema();
  RelationTargets targets(files_);
  const JudgedFields judged =
      judge_fields(schema, change.fields, [&](const auto& database, const auto& row) {
        return targets.has(database, row);
      });
  if (const auto refusal = judged.refusal()) return *refusal;
  auto file = read_row_file(files_, **current, change.row_id);
  if (!file) return file.error();
  if (change.etag && *change.etag != file->etag) return stale(**current, *file);
  RowEdit edit{*current, *file, std::move(*file), names_unique(schema, judged.fields), {}};
  RowFile& after = edit.after;
  const auto order = adds_key(after.note, judged.fields) ? key_order() : std::vector<std::string>();
  if (auto done = edit_note(schema, change, judged.fields, order, after.note); !done) {
    return done.error();
  }
  if (!change.new_row_id.empty() && change.new_row_id != after.id) {
    auto free = check_free(**current, after.id, change.new_row_id);
    if (!free) return free.error();
    auto done = rename_row(files_, **current, change.new_row_id, edit);
    if (!done) return done.error();
  }
  after.etag = etag_of(after.note.bytes());
  if (edit.judges_unique) {
    if (auto done = check_unique(judged.fields, edit.before.id); !done) return done.error();
  }
  return edit;
}

Result<WriteAnswer> Database::finish_update(RowEdit edit) {
  const auto written = files_.apply(steps_of(edit));
  if (!written) return written.error();
  WriteAnswer answer;
  edit.after.etag = written->etags.front();
  if (written->mtimes_ns.front() != 0) edit.after.key.mtime_ns = written->mtimes_ns.front();
  answer.row = describe(*edit.folder, edit.after);
  answer.changed = true;
  answer.change = written->change;
  answer.notes = written->notes;
  answer.durable = written->durable;
  describe_references(edit, answer);
  return answer;
}

// The plan is made before the lock, so that a refusal leaves no trace; where other files have a say
// it is made again under the lock.
Result<WriteAnswer> Database::update(const RowChange& change, WriteMode mode) {
  if (auto writable = check_writable(); !writable) return writable.error();
  return tell_all([&](UntoldNotes& untold) -> Result<WriteAnswer> {
    for (int attempt = 0;; ++attempt) {
      auto edit = plan_update(change);
      if (!edit) return edit.error();
      if (!edit->changes() || mode == WriteMode::dry_run) {
        WriteAnswer answer;
        answer.changed = edit->changes();
        answer.diff = diff_of(*edit);
        answer.row = describe(*edit->folder, edit->after);
        describe_references(*edit, answer);
        return answer;
      }
      HeldLock lock;
      if (edit->judges_unique || edit->renames()) {
        auto held = files_.lock();
        if (!held) return held.error();
        lock = std::move(*held);
        edit = plan_update(change);
        if (!edit) return edit.error();
        if (!edit->changes()) continue;
      }
      auto answer = finish_update(std::move(*edit));
      if (answer || attempt >= most_attempts || !was_overtaken(answer.error())) return answer;
      untold.keep(answer.error());
    }
  });
}

Result<WriteAnswer> Database::remove(std::string_view row_id,
                                     std::optional<Etag> etag,
                                     WriteMode mode) {
  if (auto writable = check_writable(); !writable) return writable.error();
  return tell_all([&](UntoldNotes& untold) -> Result<WriteAnswer> {
    for (int attempt = 0;; ++attempt) {
      const auto current = folder();
      if (!current) return current.error();
      const auto file = read_row_file(files_, **current, row_id);
      if (!file) return file.error();
      if (etag && *etag != file->etag) return stale(**current, *file);
      WriteAnswer answer;
      answer.row = describe(**current, *file);
      answer.changed = true;
      if (mode == WriteMode::dry_run) {
        answer.diff = unified_diff(file->path, file->note.bytes(), std::nullopt);
        return answer;
      }
      std::vector<Step> steps = {Step::remove(file->path, file->etag)};
      if ((*current)->schema().rows.layout == RowLayout::folder) {
        steps.push_back(Step::remove_folder((*current)->full_path(file->id)));
      }
      const auto written = files_.apply(steps);
      if (!written) {
        if (attempt >= most_attempts || !was_overtaken(written.error())) return written.error();
        untold.keep(written.error());
        continue;
      }
      answer.change = written->change;
      answer.notes = written->notes;
      answer.durable = written->durable;
      return answer;
    }
  });
}

}  // namespace notesdb
