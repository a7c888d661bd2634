// BaseView: the answer of one view of a base: files, and what is computed of them.
//
// The set is every file. The filters of the base and of the view both hold; a filter whose value
// is an error does not match. Rows are sorted by the keys of the view, missing first and `desc`
// reversed, and then by the natural order of paths; a view with groupBy is sorted by that first. Its
// limit counts rows after that, and summaries are over the rows that are left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "core/value.h"
#include "database/vault.h"
#include "database/workspace.h"
#include "expression/calendar.h"

namespace notesdb::bases {

// Of the rows that a view has, those to answer; its groups and summaries are over all.
struct BasePage {
  std::int64_t offset = 0;
  std::int64_t limit = 0;
};

struct BaseRequest {
  std::string file;  // from the root; `#View` behind it names a view
  std::string view{};
  std::string embedding{};  // the note that `this` is; empty: the base itself
  expression::Date now{};
  const expression::TimeZone* zone = nullptr;
  std::optional<std::int64_t> limit{};
  std::optional<BasePage> page{};
};

struct BaseRow {
  std::string path;
  Map fields;                               // an error is {error: why}; what is missing is left out
  std::optional<VaultFile::RowName> row{};  // of a database
};

struct BaseAnswer {
  std::string file;
  std::string view;
  std::string type;
  std::int64_t total = 0;  // rows that match, before any limit
  std::optional<std::int64_t> limit{};
  std::vector<std::string> columns;
  Map display_names;  // of columns that have one
  std::vector<BaseRow> rows;
  std::vector<Map> groups;     // {property: value, count}
  std::vector<Map> summaries;  // {property, summary, value}
  std::vector<Issue> issues;
  std::int64_t unreadable = 0;  // notes that are there without properties
};

// Fails with invalid_argument where there is no such file or view, and as parse_base does.
Result<BaseAnswer> run_base(Workspace& workspace, const BaseRequest& request);

}  // namespace notesdb::bases
