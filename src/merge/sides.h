// Conflict sides: what each side of an unsettled merge says, and resolving it.
//
//   status: done   <- ours          resolve(text, ..., {.field = "status", .side = theirs})
//   status: open   <- base
//   status: blocked  <- theirs
//
// Works on every text with conflict markers (conflict_markers.h), whoever wrote them: a row merged
// by field, by git's own merge, or a schema. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/column.h"
#include "core/result.h"
#include "merge/merge.h"
#include "note/conflict_markers.h"
#include "note/front_matter.h"

namespace notesdb {

// The field names that stand for what is not a field.
inline constexpr std::string_view body_field = "_body";
inline constexpr std::string_view file_field = "_file";  // markers that no field can hold

// Every field that a merge left undecided, with its values on the three sides; base is empty where
// the markers hold none.
std::vector<MergeConflict> conflicts_in(const std::string& bytes, NoteFormat format);

// How one conflict, or all of a file, should end.
struct Resolution {
  std::string field;                 // empty: everything in the file
  std::optional<ConflictSide> side;  // take this side, byte for byte
  std::optional<Value> value;        // or this value; null: no such field
  const Column* column = nullptr;    // of the field, where the schema declares it
};

// The bytes with the conflict resolved. Fails with unknown_field if that field is in no conflict,
// and with conflict if the field shares its markers with others: they are resolved together.
Result<std::string> resolve(const std::string& bytes, NoteFormat format, const Resolution& how);

}  // namespace notesdb
