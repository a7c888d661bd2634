#include "note/conflict_reading.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/text.h"
#include "note/note.h"
#include "yaml/field_split.h"

namespace notesdb {

namespace {

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
    std::string_view value = side_.substr(field.key_end, field.end - field.key_end);
    std::size_t first = value.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return "empty";
    value = value.substr(first, value.find_last_not_of(" \t\r\n") + 1 - first);
    std::string shown = to_utf8(value.substr(0, longest));
    std::ranges::replace(shown, '\n', ' ');
    return shown + (value.size() > longest ? "..." : "");
  }

 private:
  std::string_view side_;
  std::vector<FieldText> fields_;
  std::unordered_map<std::string_view, const FieldText*> by_key_;
};

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
        add_issue(line, 1, "a merge left '" + above->key + "' undecided here", above->key);
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

}  // namespace notesdb
