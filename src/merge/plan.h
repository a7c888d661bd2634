// Merge plan: what becomes of each field when three notes are merged, and our note with it done.
//
// The pieces of merge.h; nobody else needs them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "merge/merge.h"
#include "note/note.h"

namespace notesdb {

struct ThreeNotes {
  Note base;
  Note ours;
  Note theirs;
};

Result<ThreeNotes> read_three(const ThreeTexts& texts, NoteFormat format);

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

// One plan for each key that any of the three has. Fails with malformed_file where a key is given
// twice, since nobody can say which of the two was changed.
Result<std::vector<FieldPlan>> plan_fields(const ThreeNotes& notes, const MergeOptions& options);

// Our note with the plan done: their lines in place of ours, joined values set, conflicts marked.
Result<Note> carry_out(const ThreeNotes& notes,
                       const std::vector<FieldPlan>& plan,
                       const ConflictLabels& labels);

}  // namespace notesdb
