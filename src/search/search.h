// Search: rows by the words in their fields and bodies, best first.
//
//   auto found = search_rows(workspace, {.text = "lantern -dropped", .database_id = "stories"});
//
// Title, fields and body are indexed with SQLite's FTS5; case and diacritics do not count. The
// index is a file in the cache folder, one per workspace. It is brought in step with the rows at
// every search, by their etags, so that only what changed is read; it can be deleted at any moment,
// and one that is damaged is made again. Where there is no cache folder, or no cache is wanted, the
// index lives in memory for the one question. The answers are the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/etag.h"
#include "core/result.h"
#include "core/value.h"
#include "database/workspace.h"

namespace notesdb {

struct SearchRequest {
  std::string text{};
  std::string database_id{};  // empty: all databases
  Value filters{};            // as db_query takes them; they need a database
  std::int64_t limit = 20;
  std::int64_t offset = 0;
};

struct FoundRow {
  std::string database_id;
  std::string id;
  Etag etag;
  std::string title;
  std::string snippet;  // where it was found, the words between ** and **
};

struct SearchAnswer {
  std::int64_t total = 0;  // all that were found, exact
  std::vector<FoundRow> rows;
};

// Fails with invalid_argument for a text without words, for filters without a database, and as
// Database::query does for the filters.
Result<SearchAnswer> search_rows(Workspace& workspace, const SearchRequest& request);

}  // namespace notesdb
