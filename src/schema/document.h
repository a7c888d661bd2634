// Schema document: a database's `_schema.md` (front matter, then notes for people) or
// `_schema.yaml` as a Schema, and back.
//
// Reading is patient: a column that cannot be used is an issue, an unknown type or key is kept,
// and only a file that says nothing about columns fails. Writing splices: what notesdb does not
// know or change stays byte for byte, comments included.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "core/schema.h"
#include "note/note.h"

namespace notesdb::schema_keys {

// The words that mean something in each part of a schema, for its readers and for
// those who tell a person that a word means nothing. schema/notesdb-schema.schema.json says what
// they mean.

using Names = std::vector<std::string>;

// What a view may say beside its id.
inline constexpr std::array<std::string_view, 9> view_settings{"name",
                                                               "type",
                                                               "columns",
                                                               "group_by",
                                                               "sort_by",
                                                               "sort_desc",
                                                               "filters",
                                                               "sorts",
                                                               "date_column"};

// What a column may say beside its id and what it rolls up.
inline constexpr std::array<std::string_view, 23> column_settings{
    "name",    "type",     "description", "options",   "target", "multiple",  "required",  "unique",
    "default", "min",      "max",         "pattern",   "merge",  "on_delete", "auto",      "format",
    "locale",  "decimals", "decimal",     "thousands", "prefix", "suffix",    "expression"};
// What a column rolls up: in a map `rollup`, or flat beside its settings.
inline constexpr std::array<std::string_view, 4> rollup{"relation", "from", "field", "function"};

// Without `next_row_id`, which nobody gives to a new schema.
Names of_schema();
// With what it rolls up as a map `rollup`, and flat.
Names of_column();
Names of_view();
Names of_template();
Names of_row_id();
Names of_rows();

}  // namespace notesdb::schema_keys

namespace notesdb {

struct SchemaDocument {
  Note note;
  Schema schema;
  std::vector<Issue> issues;  // rule `schema` or `yaml`; the path is the caller's to fill in
};

// Fails with malformed_file, naming what is wrong, if the bytes are no note or have no list of
// columns. A column without an id, with one given before or one that begins with `_` is left out,
// with an issue; a type of another program becomes ColumnType::unknown, with an issue.
Result<SchemaDocument> parse_schema(std::string bytes, NoteFormat format);

// The bytes of a new schema document. Keys that hold their default are left out.
Result<std::string> write_schema(const Schema& schema, std::string_view body, NoteFormat format);

// The document with this `next_row_id`, added where it has none.
Result<std::string> with_counter(const SchemaDocument& document, std::int64_t next);
// The same, only where it has that key; the same bytes where not.
Result<std::string> with_next_row_id(const SchemaDocument& document, std::int64_t next);

// A schema as a map in the order of the contract, as write_schema writes it.
Map to_map(const Schema& schema);
Map to_map(const Column& column);

}  // namespace notesdb
