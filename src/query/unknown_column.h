// Unknown column: the refusal of a name that is not a column's id.
#pragma once

#include <string_view>

#include "core/error.h"
#include "core/schema.h"

namespace notesdb {

// unknown_field: with the column that has the name as its display name, else the valid ids and the
// nearest.
Error unknown_column(std::string_view name, const Schema& schema);

}  // namespace notesdb
