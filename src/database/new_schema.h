// The schema of a database about to be made, out of what a caller gives.
//
// It is written as a schema file, read as one, and checked more strictly than a file that people
// have edited: what would be an issue there is a refusal here, and so is a key nobody knows.
#pragma once

#include <vector>

#include "core/result.h"
#include "core/schema.h"
#include "core/value.h"

namespace notesdb {

// Fails with invalid_value, naming everything that is wrong at once.
Result<Schema> parse_new_schema(const Map& given);

// What is wrong with a schema beyond its file: patterns, ranges, defaults, views, row_id, globs.
std::vector<Error> check_new_schema(const Schema& schema);

}  // namespace notesdb
