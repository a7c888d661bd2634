// Conflict reading: which fields of a front matter a merge left undecided.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "note/conflict_markers.h"

namespace notesdb {

// The text with every marked stretch turned into comments of the same length, so that the fields
// around it are read, each in its place.
std::string without_conflicts(std::string_view text, const std::vector<ConflictBlock>& conflicts);

// A field that a merge left undecided.
struct FieldConflict {
  std::string key;
  // "'status' is in conflict: ours is done, theirs is blocked; resolve it with notesdb resolve"
  std::string description;
};

// The fields that a marked stretch holds, each once, in order. Empty where the stretch is a piece
// of the field above it.
std::vector<FieldConflict> fields_in(std::string_view text, const ConflictBlock& conflict);

// Whether the lines after the stretch go on with what it holds.
bool goes_on_behind(std::string_view text, const ConflictBlock& conflict);

}  // namespace notesdb
