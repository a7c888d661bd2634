#include "git/row_difference.h"

#include <algorithm>
#include <array>

#include "core/file_name.h"
#include "core/line_diff.h"
#include "database/row_id.h"
#include "files/names.h"
#include "git/row_merge.h"
#include "merge/sides.h"
#include "note/note.h"
#include "yaml/scalar.h"

namespace notesdb {

std::shared_ptr<const DatabaseFolder> RowPaths::database(std::string_view folder) {
  if (auto found = known_.find(folder); found != known_.end()) return found->second;
  std::shared_ptr<const DatabaseFolder> database;
  if (DatabaseFolder::find_schema_file(files_, folder)) {
    if (auto read = DatabaseFolder::read(files_, std::string(folder))) database = *read;
  }
  known_.emplace(std::string(folder), database);
  return database;
}

std::optional<RowPath> RowPaths::find(std::string_view path) {
  for (std::string_view folder = folder_of(path);; folder = folder_of(folder)) {
    if (std::shared_ptr<const DatabaseFolder> database = this->database(folder)) {
      std::string_view below = folder == "." ? path : path.substr(folder.size() + 1);
      if (database->names().role_of(below) != FileRole::row) return std::nullopt;
      return RowPath{std::string(folder), std::string(database->names().id_of(below)), database};
    }
    if (folder == ".") return std::nullopt;
  }
}

bool is_counter_row(const RowPath& row) {
  const RowIdRule& rule = row.folder->schema().row_id;
  return rule.style == RowIdStyle::counter && counter_of(row.row_id, rule.prefix).has_value();
}

namespace {

constexpr std::array<std::string_view, 4> fate_names{"added", "removed", "changed", "renamed"};

// The fields of a note, each read as its column says; the text of its lines where broken.
Map fields_of(const Schema& schema, const Note& note) {
  Map fields;
  for (const NoteField& field : note.fields()) {
    const Column* column = schema.find(field.key);
    std::string_view lines = std::string_view(note.bytes())
                                 .substr(field.lines.begin, field.lines.end - field.lines.begin);
    Value value = !field.readable     ? Value(lines)
                  : column == nullptr ? read_untyped(field.node)
                                      : read_as(*column, field.node).value;
    fields.push_back({field.key, std::move(value)});
  }
  return fields;
}

std::optional<Value> value_of(const Map& fields, std::string_view key) {
  const Value* value = find_member(fields, key);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::string lines_between(std::string_view before, std::string_view after) {
  Lines old_lines = split_lines(before);
  Lines new_lines = split_lines(after);
  std::size_t same = 0;
  for (const Match& match : match_lines(old_lines, new_lines))
    same += match.length;
  return "+" + std::to_string(new_lines.size() - same) + " -" +
         std::to_string(old_lines.size() - same) + " lines";
}

bool is_whole(const FileChange& change) {
  return change.status != 'D' && change.new_id.empty();
}

// The bytes of all changed files, read from git at once.
class Bytes {
 public:
  static Result<Bytes> read(const Repository& repository, const std::vector<FileChange>& changes) {
    std::vector<std::string> ids;
    for (const FileChange& change : changes) {
      for (const std::string& id : {change.old_id, change.new_id}) {
        if (!id.empty()) ids.push_back(id);
      }
    }
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    Result<std::vector<std::string>> objects = repository.read_objects(ids);
    if (!objects) return objects.error();
    Bytes bytes;
    for (std::size_t i = 0; i < ids.size(); ++i)
      bytes.by_id_.emplace(ids[i], std::move((*objects)[i]));
    return bytes;
  }

  std::optional<std::string> find(const std::string& id) const {
    auto found = by_id_.find(id);
    return found == by_id_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::string, std::string> by_id_;
};

TwoTexts texts_of(const Bytes& bytes, const FileSystem& files, const FileChange& change) {
  TwoTexts texts{bytes.find(change.old_id), bytes.find(change.new_id)};
  if (is_whole(change)) {
    Result<FileBytes> file = files.read(change.path);
    if (file) texts.after = std::move(file->bytes);
  }
  return texts;
}

bool may_be_row(std::string_view path) {
  return !row_file_ending(path).empty();
}

RowFate fate_of(const FileChange& change) {
  if (change.status == 'A') return RowFate::added;
  if (change.status == 'D') return RowFate::removed;
  return change.status == 'R' ? RowFate::renamed : RowFate::changed;
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts)
    text += (text.empty() ? "" : std::string(separator)) + part;
  return text;
}

// That a summary names.
constexpr std::size_t max_rows = 6;

std::string told(const RowDifference& row) {
  if (row.fate == RowFate::renamed) return row.old_row_id + " is now " + row.row_id;
  if (row.fate != RowFate::changed) return row.row_id + " " + std::string(name_of(row.fate));
  std::vector<std::string> fields;
  for (const FieldDifference& field : row.fields)
    fields.push_back(field.field == body_field ? "text" : field.field);
  return fields.empty() ? row.row_id : row.row_id + " (" + joined(fields, ", ") + ")";
}

}  // namespace

std::string_view name_of(RowFate fate) {
  return fate_names[static_cast<std::size_t>(fate)];
}

std::vector<FieldDifference> compare_rows(const Schema& schema,
                                          const TwoTexts& texts,
                                          NoteFormat format) {
  Result<Note> before = Note::parse(texts.before.value_or(""), format);
  Result<Note> after = Note::parse(texts.after.value_or(""), format);
  if (!before || !after) {
    return {{std::string(file_field),
             std::nullopt,
             Value(lines_between(texts.before.value_or(""), texts.after.value_or("")))}};
  }
  Map old_fields = fields_of(schema, *before);
  Map new_fields = fields_of(schema, *after);
  std::vector<FieldDifference> differences;
  for (const Member& field : new_fields) {
    std::optional<Value> was = value_of(old_fields, field.key);
    if (was != field.value) differences.push_back({field.key, std::move(was), field.value});
  }
  for (const Member& field : old_fields) {
    if (find_member(new_fields, field.key) == nullptr)
      differences.push_back({field.key, field.value, std::nullopt});
  }
  if (before->body() != after->body()) {
    differences.push_back({std::string(body_field),
                           std::nullopt,
                           Value(lines_between(before->body(), after->body()))});
  }
  return differences;
}

Result<std::vector<RowDifference>> describe_changes(const Repository& repository,
                                                    const FileSystem& files,
                                                    RowPaths& paths,
                                                    const std::vector<FileChange>& changes) {
  std::vector<FileChange> wanted;
  std::ranges::copy_if(changes, std::back_inserter(wanted), [](const FileChange& change) {
    return may_be_row(change.path);
  });
  Result<Bytes> bytes = Bytes::read(repository, wanted);
  if (!bytes) return bytes.error();
  std::vector<RowDifference> differences;
  for (const FileChange& change : wanted) {
    RowDifference row{change.path, "", "", "", fate_of(change), {}};
    std::shared_ptr<const DatabaseFolder> folder;
    if (std::optional<RowPath> found = paths.find(change.path)) {
      row.database_id = found->database_id;
      row.row_id = found->row_id;
      folder = found->folder;
    } else if (is_schema_path(change.path)) {
      row.database_id = std::string(folder_of(change.path));
      row.row_id = "_schema";
    } else {
      continue;
    }
    if (std::optional<RowPath> old_row = paths.find(change.old_path))
      row.old_row_id = old_row->row_id;
    row.fields = compare_rows(folder ? folder->schema() : Schema{},
                              texts_of(*bytes, files, change),
                              note_format_of(change.path));
    differences.push_back(std::move(row));
  }
  return differences;
}

std::string summarise(const std::vector<RowDifference>& differences) {
  std::map<std::string, std::vector<std::string>> by_database;
  for (std::size_t i = 0; i < std::min(differences.size(), max_rows); ++i)
    by_database[differences[i].database_id].push_back(told(differences[i]));
  std::vector<std::string> parts;
  for (const auto& [database, rows] : by_database)
    parts.push_back((database == "." ? "" : database + ": ") + joined(rows, ", "));
  std::string text = joined(parts, "; ");
  if (differences.size() > max_rows)
    text += " and " + std::to_string(differences.size() - max_rows) + " more";
  return text;
}

std::string list_rows(const std::vector<RowDifference>& differences) {
  constexpr std::size_t max_lines = 500;
  if (differences.size() <= max_rows) return "";
  std::string text;
  for (std::size_t i = 0; i < std::min(differences.size(), max_lines); ++i) {
    const RowDifference& row = differences[i];
    text += (row.database_id == "." ? "" : row.database_id + "/") + told(row) + "\n";
  }
  if (differences.size() > max_lines)
    text += "and " + std::to_string(differences.size() - max_lines) + " more\n";
  return text;
}

}  // namespace notesdb
