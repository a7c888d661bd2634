// Relink: every reference of a note to one row, made to name the row by its new id.
//
//   epic: row-012            a relation to the row's database: the id, database/id, a link
//   [[row-012|as told]]      a link in the body, from a note of the same database
//   [[stories/row-012]]      or from the workspace root
//   [t](../stories/row-012.md#top)   or relative to the note's own folder
//
// Only the id inside a reference changes: alias, anchor, quoting and everything else stay. Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "core/schema.h"
#include "note/note.h"

namespace notesdb {

struct Relink {
  std::string folder;    // of the note's file, from the workspace root; "." the root
  std::string database;  // the note's database; empty: none
  std::string target;    // the row's database
  std::string old_id;
  std::string new_id;
};

// Fails as Note::set does, and then the note is as it was.
Result<Edit> relink(const Schema& schema, const Relink& how, Note& note);

// The same for text with links in it.
std::string relink_text(const Relink& how, std::string_view text);

}  // namespace notesdb
