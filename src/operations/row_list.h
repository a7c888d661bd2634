// RowList: the rows of an answer, as many as its caps allow, and what to say about the rest.
//
// The first row is always there, however large. A command has no caps. As text the same rows are
// written by RowText below.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/row.h"
#include "core/value.h"
#include "database/row_sink.h"
#include "json/json_pen.h"
#include "operations/answer.h"
#include "operations/operation.h"

namespace notesdb {

// objects: {id, etag, fields}. table: a list a row, in the order of `columns`, which then begins
// with _id and _etag.
enum class RowFormat { objects, table };

struct RowShape {
  RowFormat format = RowFormat::objects;
  BodyIn body = BodyIn::left_out;
  std::vector<std::string> columns;
  std::optional<std::size_t> max_bytes;
};

// What each row of a table holds; of objects, which fields.
std::vector<std::string> shown_columns(const RowShape& shape);
Value row_value(Row&& row, const RowShape& shape);

// Leaves of a body what one answer may hold; false where that is all of it.
bool cut_body(Row& row, const RowShape& shape);

class RowList {
 public:
  RowList(std::vector<Row> rows, const RowShape& shape);

  std::int64_t count() const { return static_cast<std::int64_t>(rows_.size()); }
  // The rows of which only the beginning of the body is here.
  const std::vector<std::string>& cut_bodies() const { return cut_bodies_; }
  List take() && { return std::move(rows_); }

 private:
  void cut_to(std::size_t max_bytes);

  List rows_;
  std::vector<std::string> cut_bodies_;
};

// How many of the items fit into so many bytes of JSON; one at least, where there is one.
std::size_t count_within(const List& items, std::optional<std::size_t> max_bytes);

// "32KiB", the cap of the context.
std::string byte_cap(const Context& context);

// What to say of rows whose bodies are cut; empty where none is.
std::string cut_bodies_notice(const std::vector<std::string>& rows);

// How many rows to ask the database for: no more than one answer may hold.
std::int64_t rows_wanted(std::optional<std::int64_t> limit, const Context& context);

// Where an answer stands among all that match.
struct Portion {
  std::int64_t total = 0;
  std::int64_t offset = 0;
  std::optional<std::int64_t> limit;  // as the caller asked; none: all
  std::int64_t returned = 0;
  bool may_be_table = false;  // whether the same rows as a table would be shorter

  // Whether a cap took rows that the caller asked for.
  bool is_cut() const;
};

// Sets total, returned, offset, limit, truncated, and where there is more next_offset and notice.
void describe_portion(Value& answer, const Portion& portion, const Context& context);

// The issues of an answer; of many only the first, since a model reads them.
Value first_issues(const std::vector<Issue>& issues, const Context& context);

// RowText: the rows of an answer as the JSON text that they end as, for those who want nothing
// else: byte for byte what RowList's list is written as, without a Value in between; as a list, or
// a row a line.

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
  const std::vector<std::string>& cut_bodies() const { return cut_bodies_; }
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
  std::vector<std::string> cut_bodies_;
};

}  // namespace notesdb
