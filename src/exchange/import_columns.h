// Import columns: what each column of a file means to the database that takes its records.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/schema.h"
#include "exchange/import.h"

namespace notesdb {

struct ImportColumn {
  enum class Role { field, row_id, row_id_and_field, body, left_out };
  Role role = Role::left_out;
  std::size_t column = 0;  // of the schema, where it is a field

  bool is_field() const { return role == Role::field || role == Role::row_id_and_field; }
  bool is_row_id() const { return role == Role::row_id || role == Role::row_id_and_field; }
};

struct ImportColumns {
  std::vector<ImportColumn> by_place;  // as the source has them
  std::vector<std::string> warnings;   // what was passed over and why
};

// Fails with unknown_field for columns that the database does not have, all at once.
Result<ImportColumns> bind_columns(const Source& source,
                                   const ImportRequest& request,
                                   const Schema& schema);

// The schema file's map for a database that the source's columns make.
Result<Map> schema_of_source(const Source& source, const ImportRequest& request);

// One record as a write takes it.
struct ImportedRow {
  std::string id;  // empty: none given
  Map fields;      // null clears
  std::optional<std::string> body;
};

ImportedRow row_of_record(const Source& source,
                          const SourceRecord& record,
                          const ImportColumns& columns,
                          const Schema& schema,
                          EmptyCells empty_cells);

}  // namespace notesdb
