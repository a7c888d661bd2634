#include "note/fix.h"

#include <algorithm>
#include <cstdio>

#include "core/date.h"
#include "core/text.h"
#include "yaml/field_split.h"
#include "yaml/reader.h"
#include "yaml/scalar.h"

namespace notesdb {

namespace {

constexpr auto npos = std::string_view::npos;

std::string_view bytes_of(const Note& note, Span span) {
  return std::string_view(note.bytes()).substr(span.begin, span.end - span.begin);
}

// The lines of a field as one, for a person to compare.
std::string on_one_line(std::string_view lines) {
  std::string line;
  for (std::size_t begin = 0; begin < lines.size();) {
    std::size_t end = std::min(lines.find('\n', begin), lines.size());
    std::string_view part = trimmed(lines.substr(begin, end - begin));
    if (!part.empty()) line += (line.empty() ? "" : " / ") + std::string(part);
    begin = end + 1;
  }
  return line;
}
// `[#a, #b]`: items that begin with a '#' and hold nothing that YAML would read otherwise.
std::optional<Value> meant_tags(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']') || text.size() < 3) return std::nullopt;
  std::string_view inside = text.substr(1, text.size() - 2);
  if (inside.find_first_of("[]{}\"'") != npos) return std::nullopt;
  List items;
  for (std::size_t begin = 0; begin <= inside.size();) {
    std::size_t end = std::min(inside.find(',', begin), inside.size());
    std::string_view item = trimmed(inside.substr(begin, end - begin));
    if (item.empty() || item.find(": ") != npos) return std::nullopt;
    items.emplace_back(item);
    begin = end + 1;
  }
  return Value(std::move(items));
}

// `"a "b" c"`: what stands between the outermost quotes, if nothing within is an escape.
std::optional<Value> meant_quotation(std::string_view text) {
  char quote = text.front();
  if (text.size() < 3 || text.back() != quote) return std::nullopt;
  std::string_view inside = text.substr(1, text.size() - 2);
  if (inside.find('\\') != npos || inside.find(std::string(2, quote)) != npos) return std::nullopt;
  return Value(inside);
}

// Lines below the key that a tab indents: the same with spaces.
std::optional<Value> meant_indents(const Note& note, const NoteField& field) {
  std::string indented;
  bool in_indent = false;
  for (const char c : bytes_of(note, field.lines)) {
    in_indent = c == '\n' || (in_indent && (c == ' ' || c == '\t'));
    indented += c == '\t' && in_indent ? "  " : std::string(1, c);
  }
  FieldReading reading = read_field(indented, field.key_end - field.lines.begin, std::uint32_t{1});
  if (reading.problem || holds_unread(reading.node)) return std::nullopt;
  return read_untyped(reading.node);
}

// `{{title}}`, which a template left: nobody means a map by it.
std::optional<Value> meant_template(std::string_view text) {
  const bool is_one_line = text.find('\n') == npos && text.find(" #") == npos;
  if (!is_one_line || text.find("}}") == npos) return std::nullopt;
  return Value(text);
}

std::optional<Value> meant_plain(std::string_view text) {
  constexpr std::string_view openers = "\"'[]{}|>&*!#-?";
  if (openers.find(text.front()) != npos || text.find(" #") != npos) return std::nullopt;
  constexpr std::string_view reserved = "@`%,";
  bool is_odd =
      reserved.find(text.front()) != npos || text.find(": ") != npos || text.ends_with(':');
  return is_odd ? std::optional<Value>(text) : std::nullopt;
}

std::optional<std::string> meant_option(const Column& column, std::string_view text) {
  std::optional<std::string> found;
  const std::string folded = fold_case(trimmed(text));
  for (const std::string& option : column.options) {
    if (option == text) return std::nullopt;
    if (fold_case(option) != folded) continue;
    if (found) return std::nullopt;
    found = option;
  }
  return found;
}

std::optional<Value> meant_options(const Column& column, const List& items) {
  List fixed = items;
  bool any = false;
  for (Value& item : fixed) {
    if (!item.is_text()) return std::nullopt;
    if (auto option = meant_option(column, item.text())) {
      item = *option;
      any = true;
    }
  }
  return any ? std::optional<Value>(std::move(fixed)) : std::nullopt;
}

// One text in a list column is a list of one; with a comma it may be several.
std::optional<Value> meant_list(std::string_view text) {
  if (text.empty() || text.find(',') != npos) return std::nullopt;
  return Value(List{text});
}

std::optional<Value> meant_truth(std::string_view text) {
  const std::string folded = fold_case(text);
  for (std::string_view word : {"yes", "on", "y"})
    if (folded == word) return Value(true);
  for (std::string_view word : {"no", "off", "n"})
    if (folded == word) return Value(false);
  return std::nullopt;
}

// A date with the year first has one meaning, whatever stands between its parts.
std::optional<Value> meant_date(std::string text) {
  int year = 0;
  int month = 0;
  int day = 0;
  int used = 0;
  std::ranges::replace_if(
      text, [](char c) { return c == '/' || c == '.'; }, '-');
  // NOLINTNEXTLINE(cert-err34-c): the widths keep the numbers small.
  if (std::sscanf(text.c_str(), "%4d-%2d-%2d%n", &year, &month, &day, &used) != 3)
    return std::nullopt;
  if (year < 1000 || month < 1 || day < 1 || text[static_cast<std::size_t>(used)] != '\0')
    return std::nullopt;
  char iso[40];
  std::snprintf(iso, sizeof iso, "%04d-%02d-%02d", year, month, day);
  return parse_moment(iso) ? std::optional<Value>(iso) : std::nullopt;
}

bool is_repeated(const Note& note, const NoteField& field) {
  return std::ranges::count(note.fields(), field.key, &NoteField::key) > 1;
}

// A field by itself, whether its key is repeated or not; empty if it is not valid YAML.
std::optional<Node> read_alone(const Note& note, const NoteField& field) {
  FieldReading reading =
      read_field(bytes_of(note, field.lines), field.key_end - field.lines.begin, std::uint32_t{1});
  if (reading.problem || holds_unread(reading.node)) return std::nullopt;
  return std::move(reading.node);
}

bool says_nothing(const Node& node) {
  return node.is_null() || (node.is_list() && node.items.empty());
}

// Of two fields with one key, the one that can go: it says nothing, or the same.
const NoteField* needless(const Note& note, const NoteField& first, const NoteField& second) {
  const auto one = read_alone(note, first);
  const auto other = read_alone(note, second);
  if (!one || !other) return nullptr;
  if (same_content(*one, *other) || says_nothing(*other)) return &second;
  return says_nothing(*one) ? &first : nullptr;
}

// Removes one field of a key that is given twice; nothing if both say something of their own.
std::optional<FixedField> drop_repeated(Note& note) {
  const auto& fields = note.fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    for (std::size_t k = i + 1; k < fields.size(); ++k) {
      if (fields[k].key != fields[i].key || fields[i].in_conflict) continue;
      const NoteField* gone = needless(note, fields[i], fields[k]);
      if (gone == nullptr) continue;
      FixedField fixed{gone->key, gone->line, "yaml", on_one_line(bytes_of(note, gone->lines)), ""};
      std::string bytes = note.bytes();
      bytes.erase(gone->lines.begin, gone->lines.end - gone->lines.begin);
      auto without = Note::parse(std::move(bytes), note.format());
      if (!without || without->fields().size() + 1 != fields.size()) continue;
      if (without->body() != note.body()) continue;
      note = std::move(*without);
      return fixed;
    }
  }
  return std::nullopt;
}

// Indents the lines of quoted values and lists that go on at column 0.
std::optional<FixedField> indent_lines(Note& note) {
  const auto& fields = note.fields();
  const auto found = std::ranges::find_if(
      fields, [](const NoteField& field) { return field.readable && field.unindented != 0; });
  if (found == fields.end()) return std::nullopt;
  std::string bytes = note.bytes().substr(0, found->lines.begin);
  std::string_view lines = bytes_of(note, found->lines);
  for (bool is_first = true; !lines.empty(); is_first = false) {
    const std::string_view line = lines.substr(0, lines.find('\n') + std::size_t{1});
    const bool is_indented = is_first || line.find_first_of(" \t\r\n") == 0;
    bytes += is_indented ? "" : "  ";
    bytes += line;
    lines.remove_prefix(line.size());
  }
  bytes += note.bytes().substr(found->lines.end);
  const auto index = static_cast<std::size_t>(found - fields.begin());
  auto indented = Note::parse(std::move(bytes), note.format());
  if (!indented || indented->fields().size() != fields.size()) return std::nullopt;
  const NoteField& field = indented->fields()[index];
  if (!field.readable || !same_content(field.node, found->node)) return std::nullopt;
  FixedField fixed{found->key,
                   found->line,
                   "yaml",
                   on_one_line(bytes_of(note, found->lines)),
                   on_one_line(bytes_of(*indented, field.lines))};
  note = std::move(*indented);
  return fixed;
}

// Whether a quote may be open at the end of its field, or a line belongs to no field.
bool is_left_open(const Note& note) {
  const auto is_open = [&](const NoteField& field) {
    if (field.readable || field.in_conflict) return false;
    const std::string_view lines = bytes_of(note, field.lines);
    const std::size_t first = field.value.begin - field.lines.begin;
    const std::string_view quotes = "\"'";
    if (!field.value.empty() && quotes.find(lines[first]) != npos)
      return !end_of_enclosed(lines, first);
    const bool has_lines_below = trimmed(lines).find('\n') != npos;
    return has_lines_below && lines.find_first_of(quotes) != npos && !read_alone(note, field);
  };
  const auto is_stray = [](const Issue& issue) { return issue.field.empty(); };
  return std::ranges::any_of(note.fields(), is_open) ||
         std::ranges::any_of(note.issues(), is_stray);
}

// The value a field should have, with the rule that it breaks now.
struct Meant {
  std::string field;
  std::string rule;
  Value value;
};

std::vector<Meant> meant_fields(const Schema& schema, const Note& note) {
  std::vector<Meant> meant;
  for (const NoteField& field : note.fields()) {
    const Column* column = schema.find(field.key);
    if (!field.readable) {
      if (is_repeated(note, field)) continue;
      if (auto value = meant_value(note, field))
        meant.push_back({field.key, "yaml", std::move(*value)});
    } else if (column != nullptr && column->writable()) {
      Reading reading = read_as(*column, field.node);
      if (auto value = meant_value(*column, reading.value))
        meant.push_back({field.key, reading.fits() ? "option" : "type", std::move(*value)});
    }
  }
  return meant;
}

}  // namespace

std::optional<Value> meant_value(const Note& note, const NoteField& field) {
  if (field.in_conflict) return std::nullopt;
  std::string_view text = trimmed(bytes_of(note, field.value));
  if (text.starts_with("{{") && field.block.empty()) return meant_template(text);
  if (text.empty() || !field.block.empty() || field.node.kind == NodeKind::unread)
    return std::nullopt;
  if (bytes_of(note, field.lines).find("\n\t") != npos) return meant_indents(note, field);
  if (text.find('\n') != npos) return std::nullopt;
  if (text.front() == '"' || text.front() == '\'') return meant_quotation(text);
  if (text.front() == '[') return meant_tags(text);
  return meant_plain(text);
}

std::optional<Value> meant_value(const Column& column, const Value& value) {
  switch (column.type) {
    case ColumnType::select:
      if (!value.is_text()) return std::nullopt;
      if (auto option = meant_option(column, value.text())) return Value(*option);
      return std::nullopt;
    case ColumnType::multi_select:
      if (value.is_text()) return meant_list(value.text());
      return value.is_list() ? meant_options(column, value.list()) : std::nullopt;
    case ColumnType::list: return value.is_text() ? meant_list(value.text()) : std::nullopt;
    case ColumnType::checkbox: return value.is_text() ? meant_truth(value.text()) : std::nullopt;
    case ColumnType::date:
    case ColumnType::datetime:
      if (!value.is_text() || parse_moment(value.text())) return std::nullopt;
      return meant_date(value.text());
    default: return std::nullopt;
  }
}

std::vector<FixedField> fix_note(const Schema& schema, Note& note) {
  std::vector<FixedField> fixed;
  if (is_left_open(note)) return fixed;
  while (auto indented = indent_lines(note))
    fixed.push_back(std::move(*indented));
  while (auto dropped = drop_repeated(note))
    fixed.push_back(std::move(*dropped));
  for (Meant& meant : meant_fields(schema, note)) {
    const NoteField* field = note.find_field(meant.field);
    FixedField done{
        meant.field, field->line, meant.rule, on_one_line(bytes_of(note, field->lines)), ""};
    // A fix of one line is a diff of one line, where the field was not broken over several.
    const bool one_line = field->block.empty() && bytes_of(note, field->value).find('\n') == npos;
    auto edit = note.set(meant.field, meant.value, {schema.find(meant.field), {}, one_line});
    if (!edit || *edit == Edit::unchanged) continue;
    done.after = on_one_line(bytes_of(note, note.find_field(meant.field)->lines));
    fixed.push_back(std::move(done));
  }
  std::ranges::stable_sort(fixed, {}, &FixedField::line);
  return fixed;
}

}  // namespace notesdb
