// RowText: the rows of an answer as the JSON text that they end as, for those who want nothing
// else: byte for byte what RowList's list is written as, without a Value in between; as a list, or
// a row a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "database/row_sink.h"
#include "json/json_pen.h"
#include "operations/row_list.h"

namespace notesdb {

enum class RowsAs { list, lines };

class RowText : public RowSink {
 public:
  // The columns of the shape are those that begin() tells.
  RowText(RowShape shape, RowsAs as) : shape_(std::move(shape)), as_(as) {}

  void begin(const std::vector<std::string>& columns, std::size_t rows) override;
  void take(Row row) override;
  void take(const ListedRow& row) override;
  bool is_full() const override { return is_full_; }

  const RowShape& shape() const { return shape_; }
  std::int64_t count() const { return count_; }
  // What is wrong with the rows that were taken; to be called before text().
  std::vector<Issue> take_issues() { return std::move(issues_); }
  // The list with its brackets, or the lines with their ends; to be called once, in the end.
  std::string text() &&;

 private:
  template <typename Write>
  void add(const Write& write);
  void expect_like(std::size_t first);
  void write_object(const ListedRow& row);
  void write_cells(const ListedRow& row);
  void put_etag(Etag etag);
  void write_value(const ListedRow& row, const Field& column, std::uint32_t code);

  RowShape shape_;
  RowsAs as_;
  std::vector<std::string> keys_;  // ,"title": and so on, of each column
  std::size_t max_rows_ = 0;       // that come
  std::string text_;
  JsonPen pen_{text_};
  std::int64_t count_ = 0;
  bool is_full_ = false;
  std::vector<Issue> issues_;
};

}  // namespace notesdb
