#include "merge/merge.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/line_diff.h"
#include "core/result.h"
#include "merge/sides.h"
#include "note/note.h"
#include "yaml/scalar.h"

namespace notesdb {

namespace {

struct MergedText {
  std::string text;
  bool clean = true;
  bool joins_additions = false;  // both sides added at one place
};

// The last line of a text that ends without one gets a line end, so that additions after it are
// additions and not changes of it.
std::string with_last_newline(std::string_view text, std::string_view line_ending) {
  std::string ended(text);
  if (!ended.empty() && ended.back() != '\n') ended += line_ending;
  return ended;
}

bool ends_open(std::string_view text) {
  return !text.empty() && text.back() != '\n';
}

// A text merged by lines: where both sides added at one place both additions stay, ours first.
MergedText merge_text(const ThreeTexts& texts,
                      const ConflictLabels& labels,
                      std::string_view line_ending) {
  if (texts.ours == texts.theirs || texts.base == texts.theirs) return {std::string(texts.ours)};
  if (texts.base == texts.ours) return {std::string(texts.theirs)};
  std::string base = with_last_newline(texts.base, line_ending);
  std::string ours = with_last_newline(texts.ours, line_ending);
  std::string theirs = with_last_newline(texts.theirs, line_ending);
  Lines base_lines = split_lines(base);
  Lines ours_lines = split_lines(ours);
  Lines theirs_lines = split_lines(theirs);
  MergedText merged;
  for (const Hunk& hunk : diff3(base_lines, ours_lines, theirs_lines)) {
    std::string mine = join_lines(ours_lines, hunk.ours_begin, hunk.ours_end);
    std::string other = join_lines(theirs_lines, hunk.theirs_begin, hunk.theirs_end);
    if (hunk.kind == HunkKind::theirs) {
      merged.text += other;
    } else if (hunk.kind != HunkKind::conflict) {
      merged.text += mine;
    } else if (hunk.only_adds()) {
      merged.text += mine + other;
      merged.joins_additions = true;
    } else {
      merged.clean = false;
      std::string before = join_lines(base_lines, hunk.base_begin, hunk.base_end);
      merged.text += mark_conflict(mine, before, other, labels, line_ending);
    }
  }
  // The last newline is a change like any other: it stays missing where a side took it away or
  // nobody added it.
  bool open = ends_open(texts.base) ? ends_open(texts.ours) && ends_open(texts.theirs)
                                    : ends_open(texts.ours) || ends_open(texts.theirs);
  if (open && merged.clean) {
    if (merged.text.ends_with('\n')) merged.text.pop_back();
    if (merged.text.ends_with('\r')) merged.text.pop_back();
  }
  return merged;
}

struct ThreeNotes {
  Note base;
  Note ours;
  Note theirs;
};

enum class FieldOutcome {
  ours,      // as we have it
  theirs,    // as they have it, lines and all
  joined,    // a value that neither has
  by_lines,  // lines of both: a text changed in two places
  conflict,  // between markers
};

struct FieldPlan {
  std::string key;
  FieldOutcome outcome = FieldOutcome::ours;
  std::optional<Value> value;  // merged; empty: no such field
  bool readable = true;        // false: broken YAML, carried along as it stands
  ThreeValues values;
  std::string lines;  // of by_lines
};

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

Result<ThreeNotes> read_three(const ThreeTexts& texts, NoteFormat format) {
  Result<Note> base = Note::parse(std::string(texts.base), format);
  if (!base) return base.error();
  Result<Note> ours = Note::parse(std::string(texts.ours), format);
  if (!ours) return ours.error();
  Result<Note> theirs = Note::parse(std::string(texts.theirs), format);
  if (!theirs) return theirs.error();
  return ThreeNotes{std::move(*base), std::move(*ours), std::move(*theirs)};
}

// One plan for each key that any of the three has. Fails with malformed_file where a key is given
// twice, since nobody can say which of the two was changed.
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

// Our note with the plan done: their lines in place of ours, joined values set, conflicts marked.
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

Error does_not_read_back() {
  return {ErrorCode::malformed_file, "the merged row would not read back; merge it by lines"};
}

std::string_view head_of(const Note& note) {
  return std::string_view(note.bytes()).substr(0, note.front_matter().body_begin);
}

std::string_view fields_of(const Note& note) {
  const FrontMatter& front = note.front_matter();
  return std::string_view(note.bytes()).substr(front.begin, front.end - front.begin);
}

// Whether a list holds the same items, wherever they stand.
bool same_items(const Value& a, const Value& b) {
  if (!a.is_list() || !b.is_list()) return a == b;
  return a.list().size() == b.list().size() && std::ranges::is_permutation(a.list(), b.list());
}

// Whether a note holds exactly what was planned: every merged value, every conflict between
// markers, and nothing else.
bool holds(const Note& note, const std::vector<FieldPlan>& plan) {
  for (const FieldPlan& field : plan) {
    const NoteField* found = note.find_field(field.key);
    if (field.outcome == FieldOutcome::conflict) {
      if (found == nullptr || !found->in_conflict) return false;
    } else if (!field.value) {
      if (found != nullptr) return false;
    } else if (field.readable) {
      if (found == nullptr || !found->readable) return false;
      if (!same_items(read_untyped(found->node), *field.value)) return false;
    } else if (found == nullptr || found->in_conflict) {
      return false;
    }
  }
  return std::ranges::all_of(note.fields(), [&](const NoteField& field) {
    return std::ranges::find(plan, field.key, &FieldPlan::key) != plan.end();
  });
}

// The fields merged by lines, where that comes to the same values: keeps what both sides did to
// comments and spelling.
std::optional<Note> merge_by_lines(const ThreeNotes& notes, const std::vector<FieldPlan>& plan) {
  std::string_view line_ending = line_ending_of(notes.ours.bytes());
  MergedText merged = merge_text(
      {fields_of(notes.base), fields_of(notes.ours), fields_of(notes.theirs)}, {}, line_ending);
  if (!merged.clean) return std::nullopt;
  const FrontMatter& front = notes.ours.front_matter();
  std::string bytes = notes.ours.bytes();
  bytes.replace(front.begin, front.end - front.begin, merged.text);
  Result<Note> note = Note::parse(std::move(bytes), notes.ours.format());
  if (!note || note->body() != notes.ours.body() || !holds(*note, plan)) return std::nullopt;
  return std::move(*note);
}

Result<Note> merge_fields(const ThreeNotes& notes,
                          const std::vector<FieldPlan>& plan,
                          const ConflictLabels& labels) {
  if (fields_of(notes.ours) == fields_of(notes.theirs)) return notes.ours;
  if (auto by_lines = merge_by_lines(notes, plan)) return std::move(*by_lines);
  Result<Note> note = carry_out(notes, plan, labels);
  if (note && !holds(*note, plan)) return does_not_read_back();
  return note;
}

// A front matter that only one side added, changed as a whole or took away.
std::optional<std::string> whole_head(const ThreeNotes& notes) {
  if (head_of(notes.base) == head_of(notes.theirs)) return std::string(head_of(notes.ours));
  if (head_of(notes.base) == head_of(notes.ours)) return std::string(head_of(notes.theirs));
  return std::nullopt;
}

bool have_fields(const ThreeNotes& notes) {
  auto has = [](const Note& note) { return note.front_matter().kind == FrontMatterKind::yaml; };
  return has(notes.ours) && has(notes.theirs) && (has(notes.base) || notes.base.bytes().empty());
}

Result<std::string> merge_head(const ThreeNotes& notes,
                               const std::vector<FieldPlan>& plan,
                               const ConflictLabels& labels) {
  if (have_fields(notes)) {
    Result<Note> merged = merge_fields(notes, plan, labels);
    if (!merged) return merged.error();
    return std::string(head_of(*merged));
  }
  if (auto whole = whole_head(notes)) return *whole;
  return Error{ErrorCode::malformed_file,
               "fields are merged where all sides have YAML; merge it by lines"};
}

std::vector<MergeConflict> conflicts_of(const std::vector<FieldPlan>& plan) {
  std::vector<MergeConflict> conflicts;
  for (const FieldPlan& field : plan) {
    if (field.outcome == FieldOutcome::conflict) conflicts.push_back({field.key, field.values});
  }
  return conflicts;
}

// Two bodies made again under one name are two texts, not two additions to one.
MergedText merge_bodies(const ThreeNotes& notes,
                        const ConflictLabels& labels,
                        std::string_view line_ending) {
  std::string_view ours = notes.ours.body();
  std::string_view theirs = notes.theirs.body();
  bool are_two_texts = notes.base.bytes().empty() && !ours.empty() && !theirs.empty();
  if (!are_two_texts || ours == theirs) {
    return merge_text({notes.base.body(), ours, theirs}, labels, line_ending);
  }
  MergedText marked;
  marked.text = mark_conflict(ours, "", theirs, labels, line_ending);
  marked.clean = false;
  return marked;
}

MergeConflict body_conflict(const ThreeNotes& notes) {
  return {"_body",
          {Value(notes.base.body()), Value(notes.ours.body()), Value(notes.theirs.body())}};
}

}  // namespace

Result<MergedNote> merge_notes(const ThreeTexts& texts, const MergeOptions& options) {
  Result<ThreeNotes> notes = read_three(texts, options.format);
  if (!notes) return notes.error();
  Result<std::vector<FieldPlan>> plan = plan_fields(*notes, options);
  if (!plan) return plan.error();
  Result<std::string> head = merge_head(*notes, *plan, options.labels);
  if (!head) return head.error();
  MergedText body = merge_bodies(*notes, options.labels, line_ending_of(texts.ours));
  MergedNote merged{*head + body.text, conflicts_of(*plan)};
  if (!body.clean) merged.conflicts.push_back(body_conflict(*notes));
  Result<Note> note = Note::parse(merged.bytes, options.format);
  if (!note || note->body() != body.text) return does_not_read_back();
  return merged;
}

}  // namespace notesdb
