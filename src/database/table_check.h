// Table check: what a schema's rules say against the rows of a table, each value judged once.
//
// Issues of the files themselves (broken YAML, values that do not fit their column) are found when
// a file is read; a table only counts them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "database/validate.h"
#include "index/row_table.h"

namespace notesdb {

class TableCheck {
 public:
  TableCheck(const RowTable& table, const Schema& schema, const RowExists& exists);

  // Rows with something wrong, files' own issues included, in order.
  std::vector<std::uint32_t> rows() const;
  // Rows whose file is broken and that lack a required field, which may be there unread.
  std::vector<std::uint32_t> broken_and_incomplete() const;
  // What the rules say against one row.
  std::vector<Violation> violations(std::uint32_t row) const;
  // All issues of all rows, files' own included.
  std::int64_t count() const { return count_; }

 private:
  struct ColumnCheck {
    std::vector<std::vector<Violation>> by_code;  // [0]: missing
    std::vector<bool> unfit;                      // by code: does not fit its column
    std::map<std::uint32_t, Violation> repeated;  // by row: another has the same value
    bool is_clean = true;
  };
  void judge_values(std::size_t column, const FieldRules& rules, const RowExists& exists);
  void find_repeated(std::size_t column);

  const RowTable& table_;
  const Schema& schema_;
  std::vector<ColumnCheck> columns_;
  std::int64_t count_ = 0;
};

// Whether a violation only follows from an issue of the file: a required field that is there and
// cannot be read is one issue, not two.
bool follows_from(const Violation& violation, const std::vector<Issue>& issues);

// Violations of `unique` by fields of the row `row_id`, which may be new.
std::vector<Violation> find_repeated(const RowTable& table,
                                     const Schema& schema,
                                     const Map& fields,
                                     std::string_view row_id);

}  // namespace notesdb
