#include "merge/merge.h"

#include <algorithm>
#include <optional>

#include "merge/plan.h"
#include "note/note.h"
#include "yaml/scalar.h"

namespace notesdb {

namespace {

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
