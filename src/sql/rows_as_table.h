// RowsAsTable: the rows of a database as a virtual table of SQLite.
//
//   _id, the columns of the schema, _body       what SELECT * gives, and an export has
//   _path, _modified, id, row_id                there for who names them; the last two are _id,
//                                               where no column is called so
//   rowid                                       the place in the natural order of ids, from 1
//
// A condition is judged once per value of a column, and only where that is sure to agree with
// SQLite, which looks at every row that is left again. Rows come in their natural order, or in the
// one that is asked for, the first of them before the others are sorted.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "database/snapshot.h"
#include "sql/column_values.h"
#include "sqlite/virtual_table.h"

namespace notesdb {

// Why a table could not be read on.
class TableUnreadable : public std::exception {
 public:
  explicit TableUnreadable(Error error) : error_(std::move(error)) {}
  const char* what() const noexcept override { return error_.message.c_str(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

class RowsAsTable : public sqlite::VirtualTable {
 public:
  // Both outlive it.
  RowsAsTable(Snapshot& snapshot, AffinityTable& stored);

  std::string declaration() const override;
  void plan(sqlite::Plan& plan) override;
  std::unique_ptr<sqlite::Cursor> open() override;

  // What a column of the table is; column() is the place in the schema.
  enum class Source : std::uint8_t { rowid, id, column, body, path, modified };
  Source source(int column) const;
  static std::size_t place(int column) { return static_cast<std::size_t>(column) - 1; }

  const RowTable& rows() const { return snapshot_.rows(); }
  // Those that a cursor reads are computed at one time.
  void will_read(std::uint64_t columns) { columns_read_ |= columns; }
  ColumnValues& values(int column);
  // Rows that came and of whose fields some cannot be read.
  std::set<std::uint32_t>& broken() { return broken_; }

  // A column as whoever writes a query sees it.
  struct Named {
    std::string name;
    std::string_view type;
    const Column* column = nullptr;  // of the schema; null for the others
    bool is_hidden = false;          // not among those of SELECT *
  };
  static std::vector<Named> columns_of(const Schema& schema);

 private:
  std::vector<std::size_t> computed_with(std::size_t place) const;
  bool can_judge(const sqlite::Constraint& condition) const;
  bool can_sort(const sqlite::Plan& plan) const;
  std::uint32_t value_count(int column) const;
  double share_of(const sqlite::Constraint& condition) const;

  Snapshot& snapshot_;
  AffinityTable& stored_;
  std::vector<std::unique_ptr<ColumnValues>> values_;  // by place
  std::vector<std::size_t> computed_;                  // the places that made_ has the values of
  const Table* made_ = nullptr;
  std::uint64_t columns_read_ = 0;  // bits; the last for all beyond it
  std::set<std::uint32_t> broken_;
};

}  // namespace notesdb
