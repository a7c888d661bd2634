#include "merge/plan.h"

#include <algorithm>

#include "core/line_diff.h"
#include "merge/sides.h"
#include "yaml/scalar.h"

namespace notesdb {

namespace {

// A field as one side has it.
struct State {
  std::optional<Value> value;  // broken YAML counts as the text of its lines
  bool readable = true;
};

std::string_view lines_of(const Note& note, const NoteField& field) {
  return std::string_view(note.bytes())
      .substr(field.lines.begin, field.lines.end - field.lines.begin);
}

State state_of(const Note& note, std::string_view key) {
  const NoteField* field = note.find_field(key);
  if (field == nullptr) return {};
  if (field->readable) return {read_untyped(field->node), true};
  return {Value(lines_of(note, *field)), false};
}

std::vector<std::string> keys_of(const ThreeNotes& notes) {
  std::vector<std::string> keys = notes.ours.keys();
  for (const Note* note : {&notes.theirs, &notes.base}) {
    for (const std::string& key : note->keys()) {
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

bool repeats_a_key(const Note& note) {
  std::vector<std::string> keys = note.keys();
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) != keys.end();
}

std::string field_lines(const Note& note, std::string_view key) {
  const NoteField* field = note.find_field(key);
  return field == nullptr ? std::string() : std::string(lines_of(note, *field));
}

MergedText merge_field_lines(const ThreeNotes& notes,
                             std::string_view key,
                             const ConflictLabels& labels) {
  return merge_text(
      {field_lines(notes.base, key), field_lines(notes.ours, key), field_lines(notes.theirs, key)},
      labels,
      line_ending_of(notes.ours.bytes()));
}

// The value of a field that stands alone; empty if it does not read.
std::optional<Value> value_of_lines(std::string_view lines, std::string_view key) {
  Result<Note> note = Note::parse(std::string(lines), NoteFormat::yaml);
  if (!note || note->fields().size() != 1 || note->fields()[0].key != key) return std::nullopt;
  const Node* node = note->find(key);
  return node == nullptr ? std::nullopt : std::optional(read_untyped(*node));
}

// A text or map of several lines that the sides changed in different lines, as git would have it.
void join_lines_of(const ThreeNotes& notes, FieldPlan& plan) {
  MergedText merged = merge_field_lines(notes, plan.key, {});
  if (!merged.clean || merged.joins_additions) return;
  std::optional<Value> value = value_of_lines(merged.text, plan.key);
  if (!value) return;
  plan.outcome = FieldOutcome::by_lines;
  plan.value = std::move(value);
  plan.lines = std::move(merged.text);
}

FieldPlan plan_field(const ThreeNotes& notes, const std::string& key, MergeRule rule) {
  State base = state_of(notes.base, key);
  State ours = state_of(notes.ours, key);
  State theirs = state_of(notes.theirs, key);
  FieldPlan plan{key,
                 FieldOutcome::conflict,
                 std::nullopt,
                 ours.readable && theirs.readable,
                 {base.value, ours.value, theirs.value},
                 {}};
  bool are_two_rows = notes.base.bytes().empty() && rule == MergeRule::by_shape;
  if (are_two_rows && ours.value != theirs.value) return plan;
  MergedValue merged = merge_values(rule, plan.values);
  if (!merged.clean) {
    if (plan.readable && rule == MergeRule::by_shape) join_lines_of(notes, plan);
    return plan;
  }
  plan.value = merged.value;
  if (merged.value == ours.value) {
    plan.outcome = FieldOutcome::ours;
    plan.readable = ours.readable;
  } else if (merged.value == theirs.value) {
    plan.outcome = FieldOutcome::theirs;
    plan.readable = theirs.readable;
  } else {
    plan.outcome = plan.readable ? FieldOutcome::joined : FieldOutcome::conflict;
  }
  return plan;
}

// The text with the line ends that the file around it has.
std::string with_line_endings(std::string_view text, std::string_view line_ending) {
  std::string result;
  for (std::string_view line : split_lines(text)) {
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r'))
      line.remove_suffix(1);
    result += std::string(line) + std::string(line_ending);
  }
  return result;
}

// Where a field that our note lacks belongs: after the nearest field before it in theirs.
std::size_t place_for(const Note& note, const Note& theirs, std::string_view key) {
  const std::vector<NoteField>& fields = theirs.fields();
  auto at = std::ranges::find(fields, key, &NoteField::key);
  while (at != fields.begin()) {
    --at;
    if (const NoteField* found = note.find_field(at->key)) return found->lines.end;
  }
  return note.front_matter().begin;
}

// The comment lines that theirs has right above a field, where our note does not have them.
std::string comments_above(const Note& note, const Note& theirs, std::string_view key) {
  const NoteField* field = theirs.find_field(key);
  std::size_t begin = theirs.front_matter().begin;
  for (const NoteField& other : theirs.fields()) {
    if (other.lines.begin < field->lines.begin) begin = std::max(begin, other.lines.end);
  }
  std::string_view above =
      std::string_view(theirs.bytes()).substr(begin, field->lines.begin - begin);
  bool is_new =
      above.find('#') != std::string_view::npos && note.bytes().find(above) == std::string::npos;
  return is_new ? std::string(above) : "";
}

// Puts text in place of a field's lines, or where the field belongs.
Result<Note> put(const Note& note, const Note& theirs, std::string_view key, std::string text) {
  std::string bytes = note.bytes();
  std::string_view line_ending = line_ending_of(bytes);
  const NoteField* field = note.find_field(key);
  Span place = field != nullptr ? field->lines : Span{};
  if (field == nullptr) place.begin = place.end = place_for(note, theirs, key);
  if (place.begin > 0 && bytes[place.begin - 1] != '\n') text.insert(0, line_ending);
  if (place.end == bytes.size() && !bytes.ends_with('\n') && text.ends_with(line_ending)) {
    text.resize(text.size() - line_ending.size());
  }
  bytes.replace(place.begin, place.end - place.begin, text);
  return Note::parse(std::move(bytes), note.format());
}

Result<Note> take_theirs(const Note& note, const Note& theirs, const FieldPlan& plan) {
  Note result = note;
  if (!plan.value) {
    Result<Edit> removed = result.remove(plan.key);
    if (!removed) return removed.error();
    return result;
  }
  std::string text =
      note.find_field(plan.key) == nullptr ? comments_above(note, theirs, plan.key) : std::string();
  text += lines_of(theirs, *theirs.find_field(plan.key));
  return put(note, theirs, plan.key, with_line_endings(text, line_ending_of(note.bytes())));
}

Result<Note> join_values(const Note& note, const FieldPlan& plan) {
  Note result = note;
  Result<Edit> edit = result.set(plan.key, *plan.value);
  if (!edit) return edit.error();
  return result;
}

bool starts_with_marker(std::string_view text) {
  return is_conflict_marker(text.substr(0, text.find('\n')));
}

// Markers around those lines of a list, a map or a long text that differ, where every side still
// reads with them.
std::optional<std::string> mark_lines(const ThreeNotes& notes,
                                      const FieldPlan& plan,
                                      const ConflictLabels& labels) {
  if (!plan.readable || !plan.values.ours || !plan.values.theirs) return std::nullopt;
  MergedText merged = merge_field_lines(notes, plan.key, labels);
  if (merged.clean || merged.joins_additions || starts_with_marker(merged.text)) {
    return std::nullopt;
  }
  for (ConflictSide side : {ConflictSide::ours, ConflictSide::theirs}) {
    if (!value_of_lines(take_side(merged.text, side), plan.key)) return std::nullopt;
  }
  return std::move(merged.text);
}

Result<Note> mark(const Note& note,
                  const ThreeNotes& notes,
                  const FieldPlan& plan,
                  const ConflictLabels& labels) {
  std::string_view line_ending = line_ending_of(note.bytes());
  if (std::optional<std::string> lines = mark_lines(notes, plan, labels)) {
    return put(note, notes.theirs, plan.key, with_line_endings(*lines, line_ending));
  }
  auto said = [&](const Note& side) {
    const NoteField* field = side.find_field(plan.key);
    return field == nullptr ? "" : with_line_endings(lines_of(side, *field), line_ending);
  };
  return put(
      note,
      notes.theirs,
      plan.key,
      mark_conflict(said(notes.ours), said(notes.base), said(notes.theirs), labels, line_ending));
}

}  // namespace

Result<ThreeNotes> read_three(const ThreeTexts& texts, NoteFormat format) {
  Result<Note> base = Note::parse(std::string(texts.base), format);
  if (!base) return base.error();
  Result<Note> ours = Note::parse(std::string(texts.ours), format);
  if (!ours) return ours.error();
  Result<Note> theirs = Note::parse(std::string(texts.theirs), format);
  if (!theirs) return theirs.error();
  return ThreeNotes{std::move(*base), std::move(*ours), std::move(*theirs)};
}

Result<std::vector<FieldPlan>> plan_fields(const ThreeNotes& notes, const MergeOptions& options) {
  for (const Note* note : {&notes.base, &notes.ours, &notes.theirs}) {
    if (repeats_a_key(*note)) {
      return Error{ErrorCode::malformed_file, "duplicate key; merge it by lines"};
    }
  }
  std::vector<FieldPlan> plan;
  for (const std::string& key : keys_of(notes)) {
    MergeRule rule = options.rule_of ? options.rule_of(key) : MergeRule::by_shape;
    plan.push_back(plan_field(notes, key, rule));
  }
  return plan;
}

Result<Note> carry_out(const ThreeNotes& notes,
                       const std::vector<FieldPlan>& plan,
                       const ConflictLabels& labels) {
  Result<Note> note = notes.ours;
  for (const FieldPlan& field : plan) {
    switch (field.outcome) {
      case FieldOutcome::ours: break;
      case FieldOutcome::theirs: note = take_theirs(*note, notes.theirs, field); break;
      case FieldOutcome::joined: note = join_values(*note, field); break;
      case FieldOutcome::by_lines: note = put(*note, notes.theirs, field.key, field.lines); break;
      case FieldOutcome::conflict: note = mark(*note, notes, field, labels); break;
    }
    if (!note) return note.error();
  }
  return note;
}

}  // namespace notesdb
