// next_row_id: what keeps the number of a row that is gone from being given to another.
//
// A new counter id is one above the highest there is. When the row with the highest number is
// deleted or gets another name, nothing among the rows tells that its number was given; elsewhere
// (another clone, a chat) it still means the old row. So the schema says from then on where to go
// on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "files/file_system.h"
#include "index/database_folder.h"
#include "schema/document.h"

namespace notesdb {

// The next_row_id that a schema needs when these rows are deleted or renamed: where one of them has
// the highest number and the schema is not past it. `files` still has them.
Result<std::optional<std::int64_t>> next_row_id_without(const FileSystem& files,
                                                        const DatabaseFolder& folder,
                                                        const std::vector<std::string>& gone_ids);

// The bytes of the schema file with this next_row_id, added where it has none.
Result<std::string> with_counter(const SchemaDocument& document, std::int64_t next);

// Of the steps that take a change back those left out which would only put next_row_id back, where
// the schema has moved on since: the counter stays above all that was given.
std::vector<Step> without_counters(const FileSystem& files, std::vector<Step> steps);

}  // namespace notesdb
