// Dropped edits: where git's own merge would lose a change without a word.
//
//   both began with:  row-042
//   theirs:           row-042 renamed to other
//   ours:             row-042 edited, and `other` made with the very bytes of theirs
//
// Its strategies `ort` and `recursive` take `other` as settled, being alike on both sides, and
// row-042 as renamed to it; our edit is then neither in a row nor in a conflict. The sides may
// change places. Merged without an eye for renames, row-042 is left to a person: one side deleted
// it, the other changed it.
#pragma once

#include <string>

#include "core/result.h"
#include "git/repository.h"

namespace notesdb {

// Whether a merge of `other` into HEAD that follows renames may drop an edit: both sides made a
// file alike, and one deleted a file that the other changed.
Result<bool> may_drop_edits(const Repository& repository, const std::string& other);

}  // namespace notesdb
