// The order in which the rows of a table have their front matter keys, so that a new key goes where
// its neighbours have it.
#pragma once

#include <string>
#include <vector>

#include "core/value.h"
#include "index/row_table.h"
#include "note/note.h"

namespace notesdb {

// Where new keys go only matters, and is only looked up, if the fields have a key that is new.
bool adds_key(const Note& note, const Map& fields);

// The order most rows agree on; empty where there are none.
std::vector<std::string> usual_key_order(const RowTable& table);

}  // namespace notesdb
