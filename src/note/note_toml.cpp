// How a note reads and changes front matter that is TOML.
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "note/note.h"
#include "toml/reader.h"
#include "toml/split.h"
#include "toml/writer.h"

namespace notesdb {

namespace {

constexpr std::size_t max_keys = 1000;
constexpr std::size_t max_strays = 100;  // lines that are named; nobody fixes more at once

}  // namespace

void Note::read_toml_fields() {
  const auto text = std::string_view(bytes_).substr(front_.begin, front_.end - front_.begin);
  const TomlText parts = split_toml(text);
  TomlReading reading = read_toml(text, front_.first_line);
  if (reading.problem) return read_toml_parts(text, parts, *reading.problem);
  std::unordered_map<std::string_view, const TomlPair*> pairs;
  for (const TomlPair& pair : parts.pairs)
    pairs.try_emplace(pair.key, &pair);
  for (NodeMember& member : reading.members) {
    const auto pair = pairs.find(member.key);
    const bool is_pair = pair != pairs.end() && !pair->second->dotted;
    NoteField& field = is_pair ? add_toml_field(*pair->second) : fields_.emplace_back();
    if (!is_pair) {
      field.key = member.key;
      field.line = member.value.line;
      field.column = member.value.column;
      field.fixed = true;
      field.lines = {front_.end, front_.end};
    }
    field.node = std::move(member.value);
  }
}

NoteField& Note::add_toml_field(const TomlPair& pair) {
  NoteField& field = fields_.emplace_back();
  field.key = pair.key;
  field.line = front_.first_line + pair.line;
  field.lines = {front_.begin + pair.lines.begin, front_.begin + pair.lines.end};
  field.value = {front_.begin + pair.value.begin, front_.begin + pair.value.end};
  field.key_end = front_.begin + pair.key_end;
  field.column = static_cast<std::uint32_t>(field.value.begin - field.lines.begin) + 1;
  field.fixed = pair.dotted;
  return field;
}

// What is not TOML as a whole is read pair by pair, so that one mistake hides one field.
void Note::read_toml_parts(std::string_view text, const TomlText& parts, const YamlProblem& whole) {
  const std::size_t before = issues_.size();
  std::size_t strays = 0;
  std::unordered_set<std::string_view> keys;
  for (const TomlPair& pair : parts.pairs) {
    const std::uint32_t line = front_.first_line + pair.line;
    if (pair.key.empty()) {
      if (++strays > max_strays) continue;
      add_issue(line, 1, "this line belongs to no field; a field is a key, '=' and a value", "");
      continue;
    }
    const bool is_new = keys.insert(pair.key).second;
    if (pair.dotted && !is_new) continue;
    if (fields_.size() > max_keys) return;  // and the note is refused
    NoteField& field = add_toml_field(pair);
    const auto lines = text.substr(pair.lines.begin, pair.lines.end - pair.lines.begin);
    TomlReading reading = read_toml(lines, line);
    field.readable = !reading.problem && reading.members.size() == 1;
    if (field.readable) {
      field.node = std::move(reading.members.front().value);
    } else {
      const std::string key = field.key;
      const YamlProblem problem = reading.problem.value_or(whole);
      add_issue(problem.line, problem.column, problem.message, key);
    }
  }
  const TomlReading tables =
      read_toml(text.substr(parts.tables_begin), front_.first_line + parts.tables_line);
  if (tables.problem)
    add_issue(tables.problem->line, tables.problem->column, tables.problem->message, "");
  for (const NodeMember& member : tables.members) {
    if (keys.contains(member.key)) continue;
    NoteField& field = fields_.emplace_back();
    field.key = member.key;
    field.line = member.value.line;
    field.column = member.value.column;
    field.node = member.value;
    field.fixed = true;
    field.lines = {front_.end, front_.end};
  }
  note_repeated_keys();
  if (issues_.size() == before) add_issue(whole.line, whole.column, whole.message, "");
}

std::optional<Error> Note::refusal(const NoteField* field) {
  if (field == nullptr || !field->fixed) return std::nullopt;
  return Error{ErrorCode::invalid_value,
               "'" + field->key +
                   "' is a TOML table or has dotted keys, which are read and not "
                   "changed in place; edit the file, or turn its front matter into YAML (---)"};
}

std::optional<Note::Splices> Note::plan_toml(const NoteField* field,
                                             std::string_view key,
                                             const Value& value,
                                             const FieldStyle& style) const {
  if (field == nullptr) {
    const std::size_t at = position_of_new(key, style.key_order);
    const std::string_view eol = line_ending_at(at > front_.begin ? at - 1 : 0);
    const auto written = write_toml(value, style.column, "", eol);
    if (!written) return std::nullopt;
    return Splices{{{at, at}, write_toml_key(key) + " = " + *written + std::string(eol)}};
  }
  const std::string_view eol = line_ending_at(field->lines.begin);
  const auto before =
      std::string_view(bytes_).substr(field->value.begin, field->value.end - field->value.begin);
  if (field->readable) {
    const auto written = write_toml(value, style.column, before, eol);
    if (!written) return std::nullopt;
    return Splices{{field->value, *written}};
  }
  const auto written = write_toml(value, style.column, "", eol);
  if (!written) return std::nullopt;
  return Splices{{field->lines, write_toml_key(key) + " = " + *written + std::string(eol)}};
}

}  // namespace notesdb
