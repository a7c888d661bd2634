// RowSink: where the rows of an answer go, one after the other, in their order.
//
//   class Ids : public RowSink {
//     void take(Row row) override { ids.push_back(row.id); }
//     void take(const ListedRow& row) override { ids.emplace_back(row.id()); }
//   };
//
// Most rows are shown as they lie in the index: these come as a ListedRow, of which nothing is
// copied unless the sink does. A row for which a file had to be read, or other databases asked,
// comes whole.
//
// A sink is called without any lock: nobody waits for one that takes its time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/row.h"
#include "index/row_table.h"
#include "query/field.h"

namespace notesdb {

// A row where it lies; good for as long as take() runs.
class ListedRow {
 public:
  // `values` are the table's own, or those of a table that adds columns to them.
  ListedRow(const RowTable& table,
            const Table& values,
            std::uint32_t row,
            const std::vector<Field>& shown)
      : table_(table), values_(values), row_(row), shown_(shown) {}

  std::string_view id() const { return table_.row_id(row_); }
  Etag etag() const { return table_.facts(row_).etag; }
  std::string modified() const;
  std::string path() const { return table_.path(row_); }

  // What the answer shows of each row.
  const std::vector<Field>& shown() const { return shown_; }
  // Of a field that is a column: the code of its value, 0 if it is missing.
  std::uint32_t code(const Field& column) const { return values_.codes(column.column)[row_]; }
  // Its value, and the same without making it where it is what stands in the file.
  Value value(const Field& column, std::uint32_t code) const {
    return values_.value(column.column, code);
  }
  std::optional<PlainValue> plain(const Field& column, std::uint32_t code) const {
    if (&values_ != &table_) return std::nullopt;
    return table_.plain(column.column, code);
  }

  Row copy() const;

 private:
  const RowTable& table_;
  const Table& values_;
  std::uint32_t row_;
  const std::vector<Field>& shown_;
};

class RowSink {
 public:
  RowSink() = default;
  RowSink(const RowSink&) = delete;
  RowSink& operator=(const RowSink&) = delete;
  virtual ~RowSink() = default;

  // Before the first row: which columns each of them shows, and how many come at most.
  virtual void begin(const std::vector<std::string>& /*columns*/, std::size_t /*rows*/) {}
  virtual void take(Row row) = 0;
  virtual void take(const ListedRow& row) { take(row.copy()); }
  // Whether those that come next are not wanted any more.
  virtual bool is_full() const { return false; }
};

}  // namespace notesdb
