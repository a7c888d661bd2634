#include "note/conflict_reading.h"

#include <algorithm>

#include "core/line_diff.h"
#include "core/text.h"
#include "note/field_split.h"
#include "note/note.h"

namespace notesdb {

namespace {

std::string_view part(std::string_view text, Span span) {
  return text.substr(span.begin, span.end - span.begin);
}

// Whether a side is nothing or begins with a key.
bool begins_with_key(std::string_view side) {
  std::vector<FieldText> fields = split_fields(side);
  return side.empty() || (!fields.empty() && !fields.front().stray && fields.front().begin == 0);
}

bool holds_whole_fields(std::string_view text, const ConflictBlock& conflict) {
  return begins_with_key(part(text, conflict.ours)) &&
         begins_with_key(part(text, conflict.theirs)) &&
         (!conflict.base || begins_with_key(part(text, *conflict.base)));
}

void add_keys(std::string_view side, std::vector<std::string>& keys) {
  for (const FieldText& field : split_fields(side)) {
    if (!field.stray && std::ranges::find(keys, field.key) == keys.end()) {
      keys.push_back(field.key);
    }
  }
}

// What one side says of a field, short enough for a message.
std::string said_by(std::string_view side, std::string_view key) {
  constexpr std::size_t longest = 60;
  for (const FieldText& field : split_fields(side)) {
    if (field.key != key) continue;
    std::string_view value = side.substr(field.key_end, field.end - field.key_end);
    std::size_t first = value.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return "empty";
    value = value.substr(first, value.find_last_not_of(" \t\r\n") + 1 - first);
    std::string shown = to_utf8(value.substr(0, longest));
    std::ranges::replace(shown, '\n', ' ');
    return shown + (value.size() > longest ? "..." : "");
  }
  return "no such field";
}

}  // namespace

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

std::vector<std::string> keys_in(std::string_view text, const ConflictBlock& conflict) {
  std::vector<std::string> keys;
  if (!holds_whole_fields(text, conflict)) return keys;
  add_keys(part(text, conflict.ours), keys);
  add_keys(part(text, conflict.theirs), keys);
  if (conflict.base) add_keys(part(text, *conflict.base), keys);
  return keys;
}

bool goes_on_behind(std::string_view text, const ConflictBlock& conflict) {
  for (std::string_view line : split_lines(text.substr(conflict.whole.end))) {
    std::size_t first = line.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || line[first] == '#') continue;
    return first > 0 || (line[0] == '-' && (line.size() < 2 || line[1] == ' '));
  }
  return false;
}

std::string describe_conflict(std::string_view text,
                              const ConflictBlock& conflict,
                              std::string_view key) {
  return "'" + std::string(key) + "' is in conflict: ours is " +
         said_by(part(text, conflict.ours), key) + ", theirs is " +
         said_by(part(text, conflict.theirs), key) + "; settle it with notesdb resolve";
}

// The fields between markers take their places among the others; a stretch that is a piece of the
// field above it puts that field in conflict.
void Note::read_conflicts(std::string_view text, const std::vector<ConflictBlock>& conflicts) {
  for (const ConflictBlock& conflict : conflicts) {
    Span lines{front_.begin + conflict.whole.begin, front_.begin + conflict.whole.end};
    std::uint32_t line = front_.first_line + conflict.line;
    std::vector<std::string> keys = keys_in(text, conflict);
    if (keys.empty() || goes_on_behind(text, conflict)) {
      auto above = std::ranges::find_if(fields_, [&](const NoteField& field) {
        return field.lines.begin < lines.begin &&
               std::ranges::none_of(fields_, [&](const NoteField& other) {
                 return other.lines.begin > field.lines.begin && other.lines.begin < lines.begin;
               });
      });
      if (above != fields_.end()) {
        above->readable = false;
        above->in_conflict = true;
        above->lines.end = std::max(above->lines.end, lines.end);
        add_issue(line, 1, "a merge left '" + above->key + "' undecided here", above->key);
        issues_.back().rule = "conflict";
      }
    }
    for (std::string& key : keys) {
      std::string message = describe_conflict(text, conflict, key);
      add_conflict(std::move(key), lines, line, std::move(message));
    }
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

}  // namespace notesdb
