// Export: rows of a database on their way out: what a query shows, whole, with what each column is.
//
// Without a choice of columns they are `_id`, the database's own, and `_body`; `--select` gives
// exactly what it names, a view its columns after `_id`. Values go out as they stand in the files,
// those that do not fit their column too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/column.h"
#include "core/result.h"
#include "database/database.h"
#include "exchange/sheet.h"

namespace notesdb {

struct Exported {
  Sheet sheet;
  std::vector<Column> columns;  // what each column of the sheet is: declared, or text
  std::int64_t unreadable = 0;  // files that are rows by name and could not be read
  std::string hint;             // why nothing was found, where that is easily said
};

// `query` as a caller gives it; the body is there where it is shown. Fails as Database::query does.
Result<Exported> export_rows(const Database& database, QueryRequest query);

// The same without `_body` where no row has one.
Exported without_empty_bodies(Exported exported);

}  // namespace notesdb
