// Past answer: what differences between two states of rows look like in a result.
//
//   {row_id, change, field, from?, to?}      one record for each field
#pragma once

#include "core/value.h"
#include "git/row_difference.h"

namespace notesdb {

// Adds the records of one row; `head` is what each of them begins with. A row without differing
// fields (renamed, emptied) is one record without a field.
void add_records(const RowDifference& row, const Map& head, List& records);

}  // namespace notesdb
