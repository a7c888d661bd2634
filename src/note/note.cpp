#include "note/note.h"

#include <algorithm>

#include "core/text.h"
#include "note/conflict_reading.h"
#include "yaml/field_split.h"
#include "yaml/plain_tree.h"
#include "yaml/reader.h"
#include "yaml/scanned_node.h"
#include "yaml/scanner.h"
#include "yaml/yaml_fixing.h"

namespace notesdb {

namespace {

constexpr std::size_t max_keys = 1000;
constexpr std::size_t max_strays = 100;     // lines that are named; nobody fixes more at once
constexpr std::size_t max_conflicts = 100;  // stretches of one front matter

Error malformed(std::uint32_t line, std::string what) {
  return {ErrorCode::malformed_file,
          "line " + std::to_string(line) + ": " + std::move(what),
          Map{{"line", static_cast<std::int64_t>(line)}}};
}

Error too_many_keys(std::uint32_t line) {
  return malformed(line, "a row has at most 1000 keys");
}

// What stands in a front matter where no key does, and what would be right.
std::string without_keys(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const std::string_view rest = text.substr(first);
  if (rest.starts_with('{')) {
    return "the front matter is one map in braces, as JSON has it; write each of its fields on a "
           "line of its own, as 'key: value'";
  }
  if (rest.starts_with("- ")) {
    return "the front matter is a list; write fields, each as 'key: value'";
  }
  return "the front matter has no key that can be told apart; write each field as 'key: value'";
}

const char* rule_of(FrontMatterKind kind) {
  switch (kind) {
    case FrontMatterKind::toml: return "toml";
    case FrontMatterKind::json: return "json";
    case FrontMatterKind::foreign: return "form";
    default: return "yaml";
  }
}

// A carriage return without its newline ends a line for YAML and for nobody else.
std::size_t lone_return(std::string_view text) {
  for (std::size_t at = text.find('\r'); at != text.npos; at = text.find('\r', at + 1)) {
    if (at + 1 == text.size() || text[at + 1] != '\n') return at;
  }
  return text.npos;
}

}  // namespace

Result<Note> Note::parse(std::string bytes, NoteFormat format) {
  Note note;
  note.bytes_ = std::move(bytes);
  note.format_ = format;
  auto front = split_front_matter(note.bytes_, format);
  if (!front) return front.error();
  note.front_ = *front;
  auto read = note.read_fields();
  if (!read) return read.error();
  return note;
}

Result<void> Note::read_fields() {
  if (front_.kind == FrontMatterKind::none) return {};
  if (front_.kind == FrontMatterKind::foreign) {
    add_issue(front_.first_line, 1, refusal()->message, "");
    issues_.back().severity = Severity::warning;
    return {};
  }
  if (front_.kind == FrontMatterKind::json) {
    read_json_fields();
    if (fields_.size() > max_keys) return malformed(1, "a row has at most 1000 keys");
    return {};
  }
  if (front_.kind == FrontMatterKind::toml) {
    read_toml_fields();
    if (fields_.size() > max_keys) return too_many_keys(front_.first_line);
    return {};
  }
  std::string_view text = std::string_view(bytes_).substr(front_.begin, front_.end - front_.begin);
  std::optional<std::uint32_t> stray;
  std::size_t strays = 0;
  std::vector<ConflictBlock> conflicts = find_conflicts(text);
  if (conflicts.size() > max_conflicts) {
    return malformed(front_.first_line + conflicts.front().line,
                     "a merge left more than 100 stretches undecided, which are not read");
  }
  std::string resolved = without_conflicts(text, conflicts);
  if (!conflicts.empty()) text = resolved;
  for (const FieldText& found : split_fields(text)) {
    std::uint32_t line = front_.first_line + found.line;
    if (!is_utf8(found.key)) return malformed(line, "a key is not UTF-8");
    if (found.stray) {
      stray = stray.value_or(line);
      if (++strays > max_strays) continue;
      add_issue(
          line, 1, "this line belongs to no field; a field is a key, a colon and a space", "");
      continue;
    }
    if (fields_.size() == max_keys) return too_many_keys(line);
    ValueParts parts = find_value_parts(text, found);
    NoteField& field = fields_.emplace_back();
    field.key = found.key;
    field.line = line;
    field.column = static_cast<std::uint32_t>(parts.value_begin - found.begin) + 1;
    field.lines = {front_.begin + found.begin, front_.begin + parts.lines_end};
    field.key_end = front_.begin + found.key_end;
    field.value = {front_.begin + parts.value_begin, front_.begin + parts.value_end};
    field.block = {front_.begin + parts.block_begin, front_.begin + parts.block_end};
    read_value(field,
               text.substr(found.begin, found.end - found.begin),
               found.unindented == 0 ? 0 : found.unindented - found.begin);
  }
  if (const std::size_t at = lone_return(text); at != text.npos && issues_.empty()) {
    const std::string_view before = text.substr(0, at);
    const auto above = static_cast<std::uint32_t>(std::ranges::count(before, '\n'));
    add_issue(front_.first_line + above,
              static_cast<std::uint32_t>(at - (before.rfind('\n') + 1)) + 1,
              "a carriage return stands alone; end the line with a newline",
              "");
  }
  read_conflicts(std::string_view(bytes_).substr(front_.begin, text.size()), conflicts);
  if (fields_.size() > max_keys) return too_many_keys(front_.first_line);
  if (fields_.empty() && stray) {
    return malformed(*stray, without_keys(text));
  }
  note_repeated_keys();
  return {};
}

void Note::read_value(NoteField& field, std::string_view lines, std::size_t unindented) {
  Scanner scanner;
  if (scanner.scan(lines) && scanner.fields().size() == 1) {
    field.node = to_node(scanner, scanner.fields().front(), lines, field.line);
    return;
  }
  const std::size_t key_end = field.key_end - field.lines.begin;
  if (auto tree = unindented == 0 ? read_plain_tree(lines, key_end, field.line) : std::nullopt) {
    field.node = *std::move(tree);
    return;
  }
  FieldReading reading = read_field(lines, key_end, field.line);
  if (!reading.problem && unindented > 0) {
    auto below =
        std::count(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(unindented), '\n');
    reading.problem = YamlProblem{field.line + static_cast<std::uint32_t>(below),
                                  1,
                                  "this line continues the value above; indent it"};
  }
  field.readable = !reading.problem && !holds_unread(reading.node);
  field.node = std::move(reading.node);
  if (reading.problem) {
    add_issue(reading.problem->line, reading.problem->column, reading.problem->message, field.key);
    take_all_lines(field, lines.size());
  } else if (!field.readable) {
    const bool is_template = std::string_view(bytes_).substr(field.value.begin).starts_with("{{");
    add_issue(field.line,
              field.column,
              is_template
                  ? std::string(template_problem)
                  : "the value has " + describe_unread(field.node) + ", which is kept but not read",
              field.key);
  }
}

// What cannot be read cannot be told apart from what stands after it: all of it is the value.
void Note::take_all_lines(NoteField& field, std::size_t size) {
  constexpr std::string_view blanks = " \t\r\n";
  field.lines.end = std::max(field.lines.end, field.lines.begin + size);
  field.block = {field.lines.end, field.lines.end};
  std::size_t last = bytes_.find_last_not_of(blanks, field.lines.end - 1) + 1;
  field.value.end = std::max(field.value.begin, last);
}

void Note::note_repeated_keys() {
  std::vector<NoteField*> sorted;
  for (NoteField& field : fields_)
    sorted.push_back(&field);
  std::ranges::stable_sort(
      sorted, {}, [](const NoteField* field) { return std::string_view(field->key); });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i]->key != sorted[i - 1]->key) continue;
    sorted[i]->readable = sorted[i - 1]->readable = false;
    add_issue(sorted[i]->line,
              1,
              "duplicate key '" + sorted[i]->key + "', also on line " +
                  std::to_string(sorted[i - 1]->line) + "; keep one",
              sorted[i]->key);
  }
}

void Note::add_issue(std::uint32_t line,
                     std::uint32_t column,
                     std::string message,
                     std::string field) {
  const char* rule = rule_of(front_.kind);
  issues_.push_back(
      {"", line, column, Severity::error, rule, std::move(message), std::move(field)});
}

std::vector<std::string> Note::keys() const {
  std::vector<std::string> keys;
  keys.reserve(fields_.size());
  for (const NoteField& field : fields_)
    keys.push_back(field.key);
  return keys;
}

const NoteField* Note::find_field(std::string_view key) const {
  auto found = std::ranges::find(fields_, key, &NoteField::key);
  return found == fields_.end() ? nullptr : &*found;
}

const Node* Note::find(std::string_view key) const {
  const NoteField* field = find_field(key);
  return field != nullptr && field->readable ? &field->node : nullptr;
}

}  // namespace notesdb
