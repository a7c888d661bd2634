// Base views: views of the .base files in the folder of a database, beside those of its schema.
#pragma once

#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "core/value.h"
#include "operations/operation.h"

namespace notesdb {

// Whether a view is one of a .base file: "books/reading.base#Reading".
bool is_base_view(std::string_view view);

// Adds them to the `views` of a schema: {id, name, type}.
void add_base_views(const Call& call, Value& schema);

// The rows of one, as db_query gives those of a view: {id, etag, fields} of a row of the database,
// of any other file {id: its path, fields}. Its own filters, order and columns are the file's, so
// that only a part of its rows can be asked for.
std::vector<Error> check_base_view(const Call& call);
Result<Value> query_base_view(const Call& call);

}  // namespace notesdb
