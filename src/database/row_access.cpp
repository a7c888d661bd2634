#include "database/row_access.h"

#include <utility>

#include "core/date.h"
#include "core/text.h"
#include "note/row_codec.h"

namespace notesdb {
namespace {

constexpr std::size_t max_nearest = 3;

std::vector<std::string> ids_of(const FileSystem& files, const DatabaseFolder& folder) {
  std::vector<std::string> ids;
  const auto listing = folder.list_rows(files);
  if (!listing) return ids;
  for (const std::string& path : listing->paths)
    ids.emplace_back(std::string_view(folder.names().id_of(path)));
  return ids;
}

Error unknown_row(std::string_view row_id) {
  return Error{ErrorCode::unknown_row, "unknown row '" + escape_controls(row_id) + "'", Map{}}.with(
      "row_id", to_utf8(row_id));
}

// With the nearest ids that exist.
Error unknown_row(const FileSystem& files, const DatabaseFolder& folder, std::string_view row_id) {
  Error error = unknown_row(row_id);
  const auto nearest = nearest_names(row_id, ids_of(files, folder), max_nearest);
  std::string list;
  for (const std::string& id : nearest)
    list += (list.empty() ? "'" : ", '") + id + "'";
  error.message += list.empty() ? "; the database has no rows" : "; the nearest are: " + list;
  return std::move(error).with("nearest", Value::list_of(nearest));
}

// The first of the files that a row may be, without a look at what else there is: nearly every row
// is there, and of one that is not DatabaseFolder::find_row says why.
Result<FileBytes> read_usual_file(const FileSystem& files,
                                  const DatabaseFolder& folder,
                                  std::string_view row_id,
                                  std::string& full) {
  // One below another folder may be of another database.
  const bool is_plain = row_id.find('/') == std::string_view::npos && check_row_id(row_id).ok();
  const auto candidates = is_plain ? folder.names().candidates(row_id) : std::vector<std::string>();
  if (candidates.empty()) return unknown_row(row_id);
  full = folder.full_path(candidates.front());
  return files.read(full);
}

}  // namespace

Result<RowFile> read_row_file(const FileSystem& files,
                              const DatabaseFolder& folder,
                              std::string_view row_id,
                              NearestIds nearest) {
  const auto missing = [&] {
    return nearest == NearestIds::included ? unknown_row(files, folder, row_id)
                                           : unknown_row(row_id);
  };
  std::string full;
  auto bytes = read_usual_file(files, folder, row_id, full);
  if (!bytes) {
    const auto path = folder.find_row(files, row_id);
    if (!path) return path.error();
    if (!*path) return missing();
    full = folder.full_path(**path);
    bytes = files.read(full);
  }
  if (!bytes) {
    if (bytes.error().code != ErrorCode::unknown_row) return bytes.error();
    return missing();
  }
  auto note = Note::parse(std::move(bytes->bytes), note_format_of(full));
  if (!note) {
    Error error = note.error();
    error.message = full + ": " + error.message;
    return error;
  }
  return RowFile{std::move(full), std::string(row_id), std::move(*note), bytes->etag, bytes->key};
}

Row to_row(const DatabaseFolder& folder, const RowFile& file) {
  Row row = read_row(folder.schema(), file.note);
  row.id = file.id;
  row.etag = file.etag;
  row.modified = format_utc(file.key.mtime_ns / 1'000'000'000);
  for (Issue& issue : row.issues)
    issue.path = file.path;
  return row;
}

Issue to_issue(const Violation& violation, const RowFile& file) {
  Issue issue;
  issue.path = file.path;
  issue.rule = violation.rule;
  issue.message = violation.message;
  issue.field = violation.field;
  if (const NoteField* field = file.note.find_field(violation.field)) {
    issue.line = field->line;
    issue.column = field->column;
  }
  return issue;
}

}  // namespace notesdb
