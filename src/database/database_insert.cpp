#include <algorithm>
#include <mutex>

#include "core/forgetting_lock.h"
#include "core/text.h"
#include "database/database.h"
#include "database/diff.h"
#include "database/relation_targets.h"
#include "database/row_access.h"
#include "database/row_draft.h"
#include "database/row_id.h"
#include "database/row_template.h"
#include "database/table_check.h"
#include "database/taken_ids.h"
#include "files/etag.h"
#include "files/names.h"
#include "files/untold_notes.h"
#include "index/row_cache.h"
#include "note/row_codec.h"

namespace notesdb {

// Where a new row goes.
struct NewPlace {
  std::string id;
  std::string path;  // from the database's folder
};

// A new row's file, and the change that makes it.
struct NewFile {
  std::string id;
  std::string path;  // from the workspace root
  std::string bytes;
  std::vector<Step> steps;
};

namespace {

constexpr int most_attempts = 100;

bool has_unique(const Schema& schema) {
  return std::any_of(schema.columns.begin(), schema.columns.end(), [](const Column& column) {
    return column.unique;
  });
}

std::string slug_source(const Schema& schema, const Map& fields) {
  const Column* column =
      schema.row_id.from.empty() ? title_column(schema) : schema.find(schema.row_id.from);
  const Value* value = column == nullptr ? nullptr : find_member(fields, column->id);
  if (value == nullptr || value->is_null()) return "";
  return value->is_text() ? value->text() : to_display(*value);
}

// The ending that all files of rows have; empty if they differ or there are none.
std::string_view common_ending(const RowTable& table) {
  std::string_view ending;
  for (std::uint32_t row = 0; row < table.row_count(); ++row) {
    const std::string_view path = table.relative_path(row);
    if (row == 0) ending = ending_of(path);
    if (!path.ends_with(ending)) return {};
  }
  return ending;
}

// A folder of .yaml rows gets another .yaml row, unless it has a body.
std::string choose_path(const DatabaseFolder& folder,
                        const RowTable& table,
                        const std::string& id,
                        bool has_body) {
  const auto candidates = folder.names().candidates(id);
  const std::string_view ending = has_body ? std::string_view() : common_ending(table);
  for (const std::string& path : candidates) {
    if (!ending.empty() && path.ends_with(ending)) return path;
  }
  return candidates.front();
}

// Keeps next_row_id above the new row where the schema has that key.
Result<void> add_counter_step(const DatabaseFolder& folder,
                              const std::string& id,
                              std::vector<Step>& steps) {
  const Schema& schema = folder.schema();
  const auto number = counter_of(name_in(id), schema.row_id.prefix);
  if (!schema.next_row_id || !number || *schema.next_row_id > *number) return {};
  auto bytes = with_next_row_id(folder.document(), *number + 1);
  if (!bytes) return bytes.error();
  steps.push_back(Step::replace(folder.schema_path(), folder.schema_etag(), std::move(*bytes)));
  return {};
}

}  // namespace

Result<void> Database::check_writable() const {
  if (!manner_.read_only) return {};
  return Error{ErrorCode::read_only, "the workspace is read-only here; nothing was changed", Map{}};
}

Result<NewPlace> Database::choose_place(const DatabaseFolder& folder,
                                        const NewRow& row,
                                        const RowDraft& draft) const {
  const ForgettingLock guard(*cache_);
  const auto now = cache_->folder();
  if (!now) return now.error();
  const auto table = cache_->rows();
  if (!table) return table.error();
  const TakenIds taken(**table);
  const Schema& schema = folder.schema();
  std::string id = row.row_id;
  if (id.empty()) {
    const std::string source = slug_source(schema, draft.judged.fields);
    id = make_row_id(schema, folder.names().folder_of_new(), taken, source);
  }
  if (auto allowed = check_new_row_id(id); !allowed) return allowed.error();
  const auto existing = folder.find_row(files_, id);
  if (!existing) return existing.error();
  if (*existing) return id_taken(id, id);
  if (const auto like = taken.like(id); !like.empty()) return id_taken(id, like);
  const auto repeated = find_repeated(**table, (*now)->schema(), draft.judged.fields, id);
  if (!repeated.empty()) return refuse(repeated);
  return NewPlace{id, choose_path(folder, **table, id, !draft.body.empty())};
}

Result<NewFile> Database::place(const DatabaseFolder& folder,
                                const NewRow& row,
                                const RowDraft& draft) const {
  const Schema& schema = folder.schema();
  auto chosen = choose_place(folder, row, draft);
  if (!chosen) return chosen.error();
  NewFile file;
  file.id = std::move(chosen->id);
  file.path = folder.full_path(chosen->path);
  Map fields = draft.judged.fields;
  std::erase_if(fields, [](const Member& field) { return field.value.is_null(); });
  auto bytes = new_row(schema, fields, draft.body, note_format_of(file.path));
  if (!bytes) return bytes.error();
  file.bytes = std::move(*bytes);
  file.steps.push_back(Step::create(file.path, file.bytes));
  if (auto done = add_counter_step(folder, file.id, file.steps); !done) return done.error();
  return file;
}

namespace {

std::string diff_of_schema(const DatabaseFolder& folder, const NewFile& file) {
  if (file.steps.size() < 2) return "";
  return unified_diff(
      folder.schema_path(), folder.document().note.bytes(), file.steps.back().bytes);
}

// Another writer was faster: its row has the id, or it moved the counter.
bool was_overtaken(const Error& error, const NewRow& row) {
  if (error.code == ErrorCode::conflict) return true;
  return error.code == ErrorCode::already_exists && row.row_id.empty();
}

}  // namespace

Result<WriteAnswer> Database::insert(const NewRow& row, WriteMode mode) {
  if (auto writable = check_writable(); !writable) return writable.error();
  const Moment now = local_now();
  // Where nothing but the disk can refuse, the first look is already under the lock: a refused
  // call must not even leave the lock's folder behind.
  bool looked = mode == WriteMode::write && row.row_id.empty();
  return tell_all([&](UntoldNotes& untold) -> Result<WriteAnswer> {
    for (int attempt = 0;; ++attempt) {
      auto current = folder();
      if (!current) return current.error();
      RelationTargets targets(files_);
      const auto draft =
          draft_row((*current)->schema(), row, now, [&](const auto& database, const auto& id) {
            return targets.has(database, id);
          });
      if (!draft) return draft.error();
      if (const auto refusal = draft->judged.refusal()) return *refusal;
      if (!looked || has_unique((*current)->schema())) {
        const auto file = place(**current, row, *draft);
        if (!file && attempt < most_attempts && was_overtaken(file.error(), row)) continue;
        if (!file) return file.error();
        if (mode == WriteMode::dry_run) return preview(**current, *file);
        looked = true;
      }
      const auto lock = files_.lock();
      if (!lock) return lock.error();
      current = folder();
      if (!current) return current.error();
      const auto file = place(**current, row, *draft);
      if (!file) return file.error();
      const auto written = files_.apply(file->steps);
      if (!written) {
        if (attempt >= most_attempts || !was_overtaken(written.error(), row))
          return written.error();
        untold.keep(written.error());
        continue;
      }
      return describe_new(**current, *file, *written);
    }
  });
}

WriteAnswer Database::preview(const DatabaseFolder& folder, const NewFile& file) const {
  WriteAnswer answer;
  answer.changed = true;
  answer.diff = unified_diff(file.path, std::nullopt, file.bytes) + diff_of_schema(folder, file);
  if (auto note = Note::parse(file.bytes, note_format_of(file.path))) {
    answer.row = to_row(
        folder, RowFile{file.path, file.id, std::move(*note), etag_of(file.bytes), StatKey{}});
    answer.row.modified.clear();
  }
  return answer;
}

WriteAnswer Database::describe_new(const DatabaseFolder& folder,
                                   const NewFile& file,
                                   const Written& written) const {
  WriteAnswer answer = preview(folder, file);
  answer.diff.clear();
  answer.row.etag = written.etags.front();
  answer.row.modified = format_utc(written.mtimes_ns.front() / 1'000'000'000);
  answer.change = written.change;
  answer.notes = written.notes;
  answer.durable = written.durable;
  return answer;
}

}  // namespace notesdb
