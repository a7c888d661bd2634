#include "note/note.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/text.h"
#include "note/conflict_markers.h"
#include "note/json_front_matter.h"
#include "toml/reader.h"
#include "toml/writer.h"
#include "yaml/field_split.h"
#include "yaml/gate.h"
#include "yaml/plain_tree.h"
#include "yaml/reader.h"
#include "yaml/scanner.h"

namespace notesdb {

namespace {

// A field that a merge left undecided.
struct FieldConflict {
  std::string key;
  // "'status' is in conflict: ours is done, theirs is blocked; resolve it with notesdb resolve"
  std::string description;
};

// Whether a side is nothing or begins with a key.
bool begins_with_key(std::string_view side) {
  std::vector<FieldText> fields = split_fields(side);
  return side.empty() || (!fields.empty() && !fields.front().stray && fields.front().begin == 0);
}

bool holds_whole_fields(std::string_view text, const ConflictBlock& conflict) {
  return begins_with_key(slice(text, conflict.ours)) &&
         begins_with_key(slice(text, conflict.theirs)) &&
         (!conflict.base || begins_with_key(slice(text, *conflict.base)));
}

// The fields of one side by their keys; of a key that stands there twice the first.
class SideFields {
 public:
  explicit SideFields(std::string_view side) : side_(side), fields_(split_fields(side)) {
    for (const FieldText& field : fields_)
      if (!field.stray) by_key_.try_emplace(field.key, &field);
  }
  SideFields(const SideFields&) = delete;
  SideFields& operator=(const SideFields&) = delete;

  void add_keys(std::vector<std::string>& keys, std::unordered_set<std::string>& seen) const {
    for (const FieldText& field : fields_)
      if (!field.stray && seen.insert(field.key).second) keys.push_back(field.key);
  }

  // What it says of a field, short enough for a message.
  std::string said_of(std::string_view key) const {
    constexpr std::size_t longest = 60;
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return "no such field";
    const FieldText& field = *found->second;
    const std::string_view value = trimmed(side_.substr(field.key_end, field.end - field.key_end));
    if (value.empty()) return "empty";
    std::string shown = to_utf8(value.substr(0, longest));
    std::ranges::replace(shown, '\n', ' ');
    return shown + (value.size() > longest ? "..." : "");
  }

 private:
  std::string_view side_;
  std::vector<FieldText> fields_;
  std::unordered_map<std::string_view, const FieldText*> by_key_;
};

// The text with every marked stretch turned into comments of the same length, so that the fields
// around it are read, each in its place.
std::string without_conflicts(std::string_view text, const std::vector<ConflictBlock>& conflicts) {
  std::string result;
  if (conflicts.empty()) return result;
  result = text;
  for (const ConflictBlock& conflict : conflicts) {
    bool line_begins = true;
    for (std::size_t i = conflict.whole.begin; i < conflict.whole.end; ++i) {
      if (result[i] == '\n') {
        line_begins = true;
      } else if (line_begins && result[i] != '\r') {
        result[i] = '#';
        line_begins = false;
      }
    }
  }
  return result;
}

// The fields that a marked stretch holds, each once, in order. Empty where the stretch is a piece
// of the field above it.
std::vector<FieldConflict> fields_in(std::string_view text, const ConflictBlock& conflict) {
  std::vector<FieldConflict> fields;
  if (!holds_whole_fields(text, conflict)) return fields;
  const SideFields ours(slice(text, conflict.ours));
  const SideFields theirs(slice(text, conflict.theirs));
  std::vector<std::string> keys;
  std::unordered_set<std::string> seen;
  ours.add_keys(keys, seen);
  theirs.add_keys(keys, seen);
  if (conflict.base) SideFields(slice(text, *conflict.base)).add_keys(keys, seen);
  for (std::string& key : keys) {
    std::string description = "'" + key + "' is in conflict: ours is " + ours.said_of(key) +
                              ", theirs is " + theirs.said_of(key) +
                              "; resolve it with notesdb resolve";
    fields.push_back({std::move(key), std::move(description)});
  }
  return fields;
}

// Whether the lines after the stretch go on with what it holds.
bool goes_on_behind(std::string_view text, const ConflictBlock& conflict) {
  for (std::size_t at = conflict.whole.end; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at + 1);
    at = end + 1;
    std::size_t first = line.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || line[first] == '#') continue;
    return first > 0 || (line[0] == '-' && (line.size() < 2 || line[1] == ' '));
  }
  return false;
}

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
                     "more than 100 merge conflicts in one file; they are not read");
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
    if (found.unindented != 0) field.unindented = front_.begin + found.unindented;
    read_value(field, text.substr(found.begin, found.end - found.begin));
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

void Note::read_value(NoteField& field, std::string_view lines) {
  const std::size_t key_end = field.key_end - field.lines.begin;
  if (field.unindented == 0) {
    Scanner scanner;
    if (scanner.scan(lines) && scanner.fields().size() == 1) {
      field.node = to_node(scanner, scanner.fields().front(), lines, field.line);
      return;
    }
    if (auto tree = read_plain_tree(lines, key_end, field.line)) {
      field.node = *std::move(tree);
      return;
    }
  }
  FieldReading reading = read_field(lines, key_end, field.line);
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

Result<Edit> Note::replace_body(std::string body) {
  if (format_ == NoteFormat::yaml) {
    return Error{ErrorCode::invalid_argument, "a .yaml row has no body; only .md rows have one"};
  }
  if (body == this->body()) return Edit::unchanged;
  if (front_.kind == FrontMatterKind::foreign) return *refusal();
  std::string eol(line_ending_at(0));
  std::string head = bytes_.substr(0, front_.body_begin);
  // One blank line sets a first body off; before a body that begins with one it must be there.
  bool blank_first = body.starts_with('\n') || body.starts_with("\r\n");
  bool sets_off = blank_first || (this->body().empty() && !body.empty());
  if (front_.kind != FrontMatterKind::none && !body.empty()) {
    if (!head.ends_with('\n')) head += eol;
    if (!front_.has_separator && sets_off) head += eol;
  }
  Result<Note> after = parse(head + body, format_);
  bool kept = after && after->front_.kind == front_.kind && after->body() == body;
  // What looks like a fence or a mark at the top of a file gets a front matter before it.
  if (!kept && front_.kind == FrontMatterKind::none) {
    after = parse(head + "---" + eol + "---" + eol + eol + body, format_);
  }
  if (!after) return std::move(after).error();
  if (after->body() != body)
    return Error{ErrorCode::invalid_value, "the body cannot be written so that it reads back"};
  *this = std::move(*after);
  return Edit::changed;
}

Result<Edit> Note::set_body(std::string_view body) {
  return replace_body(std::string(body));
}

Result<Edit> Note::append_body(std::string_view text) {
  if (text.empty()) return Edit::unchanged;
  std::string_view eol = line_ending_at(0);
  std::string whole(body());
  if (!whole.empty() && !whole.ends_with('\n')) whole += eol;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool bare = text[i] == '\n' && (i == 0 || text[i - 1] != '\r');
    if (bare) {
      whole += eol;
    } else {
      whole += text[i];
    }
  }
  return replace_body(std::move(whole));
}

// The fields between markers take their places among the others; a stretch that is a piece of the
// field above it puts that field in conflict.
void Note::read_conflicts(std::string_view text, const std::vector<ConflictBlock>& conflicts) {
  for (const ConflictBlock& conflict : conflicts) {
    Span lines{front_.begin + conflict.whole.begin, front_.begin + conflict.whole.end};
    std::uint32_t line = front_.first_line + conflict.line;
    std::vector<FieldConflict> undecided = fields_in(text, conflict);
    if (undecided.empty() || goes_on_behind(text, conflict)) {
      NoteField* above = nullptr;  // the last one above; of several in one place the first
      for (NoteField& field : fields_) {
        const bool is_above = field.lines.begin < lines.begin;
        if (is_above && (above == nullptr || field.lines.begin > above->lines.begin))
          above = &field;
      }
      if (above != nullptr) {
        above->readable = false;
        above->in_conflict = true;
        above->lines.end = std::max(above->lines.end, lines.end);
        add_issue(line, 1, "unresolved merge conflict in '" + above->key + "'", above->key);
        issues_.back().rule = "conflict";
      }
    }
    for (FieldConflict& field : undecided)
      add_conflict(std::move(field.key), lines, line, std::move(field.description));
  }
  std::ranges::stable_sort(fields_, {}, [](const NoteField& field) { return field.lines.begin; });
}

void Note::add_conflict(std::string key, Span lines, std::uint32_t line, std::string message) {
  add_issue(line, 1, std::move(message), key);
  issues_.back().rule = "conflict";
  NoteField& field = fields_.emplace_back();
  field.key = std::move(key);
  field.readable = false;
  field.in_conflict = true;
  field.line = line;
  field.column = 1;
  field.lines = lines;
  field.key_end = lines.begin;
  field.value = field.block = {lines.end, lines.end};
}

// How a note reads and changes front matter that is a JSON object.

std::vector<JsonMember> Note::json_members() const {
  return read_json_object(bytes_, front_.begin, front_.first_line).members;
}

void Note::read_json_fields() {
  for (JsonMember& member : json_members()) {
    NoteField& field = fields_.emplace_back();
    field.key = std::move(member.key);
    field.line = member.node.line;
    field.column = member.node.column;
    field.node = std::move(member.node);
    field.lines = {member.key_place.begin, member.value.end};
    field.key_end = bytes_.find(':', member.key_place.end) + 1;
    field.value = member.value;
    field.block = {member.value.end, member.value.end};
  }
  note_repeated_keys();
}

Note::Splices Note::plan_json(std::string_view key,
                              const Value* value,
                              const Column* column) const {
  const std::vector<JsonMember> members = json_members();
  const auto found = std::ranges::find(members, key, &JsonMember::key);
  if (value == nullptr) {
    return plan_json_removed(members, static_cast<std::size_t>(found - members.begin()));
  }
  const std::string_view all = bytes_;
  if (found != members.end()) {
    const Span place = found->value;
    const auto before = all.substr(place.begin, place.end - place.begin);
    return {{place, write_json_value(*value, column, before)}};
  }
  const std::string written = write_json_value(*value, column, "");
  if (members.empty()) {
    const std::size_t at = front_.begin + 1;
    return {{{at, at}, quoted_string(key) + ": " + written}};
  }
  // Set off as the last member is.
  const JsonMember& last = members.back();
  const std::size_t above =
      members.size() > 1 ? members[members.size() - 2].value.end : front_.begin;
  std::size_t blank = above + 1;
  if (members.size() > 1) blank = all.find(',', above) + 1;
  std::string gap(all.substr(blank, last.key_place.begin - blank));
  if (members.size() == 1 && gap.find('\n') == gap.npos) gap = " ";
  const auto colon = all.substr(last.key_place.end, last.value.begin - last.key_place.end);
  std::string text = "," + gap;
  text += quoted_string(key);
  text += colon.find('\n') == colon.npos ? std::string(colon) : ": ";
  text += written;
  return {{{last.value.end, last.value.end}, std::move(text)}};
}

// With its comma; of the last member, the comma before it.
Note::Splices Note::plan_json_removed(const std::vector<JsonMember>& members,
                                      std::size_t index) const {
  const JsonMember& gone = members[index];
  if (index + 1 < members.size()) {
    return {{{gone.key_place.begin, members[index + 1].key_place.begin}, ""}};
  }
  if (index > 0) return {{{members[index - 1].value.end, gone.value.end}, ""}};
  return {{{front_.begin + 1, front_.end - 1}, ""}};
}

std::optional<Error> Note::refusal() const {
  if (front_.kind == FrontMatterKind::foreign) {
    return Error{ErrorCode::malformed_file,
                 "the file begins with " + std::string(front_.form) +
                     ", a front matter that is not written; edit the file, or turn its head into "
                     "YAML between two lines of '---'",
                 Map{{"line", static_cast<std::int64_t>(front_.first_line)}}};
  }
  if (front_.kind == FrontMatterKind::json && !issues_.empty()) {
    const Issue& first = issues_.front();
    return Error{ErrorCode::malformed_file,
                 "line " + std::to_string(first.line) + ": " + first.message +
                     "; the JSON front matter is not written until then",
                 Map{{"line", static_cast<std::int64_t>(first.line)}}};
  }
  return std::nullopt;
}

// How a note reads and changes front matter that is TOML.

namespace {}  // namespace

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
