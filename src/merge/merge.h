// Merge: three versions of one row made one, field by field, as git asks for it.
//
//   base                ours                   theirs               merged
//   status: open        status: done           status: open         status: done
//   tags: [a]           tags: [a, b]  # mine   tags: [a, c]         tags: [a, b, c]  # mine
//   The text.           The text.              The text, fixed.    The text, fixed.
//
// A field changed on one side is taken from there, lines and all; values changed on both sides are
// joined by merge/values.h as their column says; the body is merged by lines, and where both sides
// added at one place both additions stay. The outcome starts from our bytes: comments, order and
// quoting stay. It is parsed again, and a value of either side that is neither in it nor in the
// conflicts is a failure.
//
// Two rows that both sides made again under one name were never one row: whatever differs in them is
// a conflict.
//
// What cannot be joined stands between conflict markers (conflict_markers.h) around the smallest
// part; all other fields of the row stay readable. Pure: no file is opened here.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "merge/values.h"
#include "note/conflict_markers.h"
#include "note/front_matter.h"

namespace notesdb {

struct ThreeTexts {
  std::string_view base;  // empty where both sides made the file
  std::string_view ours;
  std::string_view theirs;
};

struct MergeOptions {
  NoteFormat format = NoteFormat::markdown;
  ConflictLabels labels;
  // How a key's values join; none: by shape for every key.
  std::function<MergeRule(std::string_view key)> rule_of;
};

// One field that both sides changed, and not alike. Field "_body" is the body.
struct MergeConflict {
  std::string field;
  ThreeValues values;
};

struct MergedNote {
  std::string bytes;
  std::vector<MergeConflict> conflicts;  // empty: a clean merge
};

// Fails with malformed_file where one of the three is no note whose fields can be told apart, or
// where the outcome would not read back: the caller then merges by lines, as git does.
Result<MergedNote> merge_notes(const ThreeTexts& texts, const MergeOptions& options);

}  // namespace notesdb
