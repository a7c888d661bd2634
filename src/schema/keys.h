// Schema keys: the words that mean something in each part of a schema, for its readers and for
// those who tell a person that a word means nothing. schema/notesdb-schema.schema.json says what
// they mean.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace notesdb::schema_keys {

using Names = std::vector<std::string>;

// What a column may say beside its id and what it rolls up.
inline constexpr std::array<std::string_view, 17> column_settings{"name",
                                                                  "type",
                                                                  "description",
                                                                  "options",
                                                                  "target",
                                                                  "multiple",
                                                                  "required",
                                                                  "unique",
                                                                  "default",
                                                                  "min",
                                                                  "max",
                                                                  "pattern",
                                                                  "merge",
                                                                  "on_delete",
                                                                  "auto",
                                                                  "format",
                                                                  "decimals"};
// What a column rolls up: in a map `rollup`, or flat beside its settings.
inline constexpr std::array<std::string_view, 3> rollup{"relation", "field", "function"};

// Without `next_row_id`, which nobody gives to a new schema.
Names of_schema();
// With `rollup` as a map.
Names of_column();
Names of_view();
Names of_template();
Names of_row_id();
Names of_rows();

}  // namespace notesdb::schema_keys
