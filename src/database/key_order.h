// The order in which the rows of a table have their front matter keys, so that a new key goes where
// its neighbours have it.
#pragma once

#include <string>
#include <vector>

#include "index/row_table.h"

namespace notesdb {

// The order most rows agree on; empty where there are none.
std::vector<std::string> usual_key_order(const RowTable& table);

}  // namespace notesdb
