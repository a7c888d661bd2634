// Row ids as new rows get them: counter, slug, ulid, short.
//
//   counter  row-012        one above the highest there is
//   slug     my-first-note  made of a column's text; -2, -3 ... where that is taken
//   ulid     01JD8Q...      26 characters that sort by time
//   short    k3v9x2mq       8 random characters
//
// Nothing here looks at the disk: the ids that exist are the caller's to bring, and whether an id
// is still free when the file is made is for the file system to say.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/schema.h"

namespace notesdb {

// The number of a counter id: digits behind the prefix and nothing else, 18 at most.
std::optional<std::int64_t> counter_of(std::string_view id, std::string_view prefix);
// "row-" and 12 in 3 digits: "row-012".
std::string counter_id(std::string_view prefix, std::int64_t number, int digits);

// The number of the next counter id where `highest` is the highest in use: one above it, and not
// below the schema's next_row_id, so that the id of a deleted or renamed row, which links elsewhere
// may still name, never comes to mean another row.
std::int64_t next_number(const Schema& schema, std::int64_t highest);

// A new id behind `folder` ("" or "entries/"), by the schema's row_id. `source` is the text a slug
// is made of; `is_taken` tells ids that exist.
std::string make_row_id(const Schema& schema,
                        const std::string& folder,
                        const std::vector<std::string>& ids,
                        std::string_view source,
                        const std::function<bool(const std::string&)>& is_taken);

// Whether two ids would be one file on systems that fold names.
bool are_one_name(std::string_view a, std::string_view b);

// The refusal of an id because of the row `by`, which has it or would be one file with it.
Error id_taken(std::string_view row_id, std::string_view by);

}  // namespace notesdb
