// How a note reads and changes front matter that is a JSON object.
#include <algorithm>
#include <utility>

#include "note/json_front_matter.h"
#include "note/note.h"

namespace notesdb {

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
    return {{{at, at}, write_json_text(key) + ": " + written}};
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
  text += write_json_text(key);
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

}  // namespace notesdb
