// RowList: the rows of an answer, as many as its caps allow, and what to say about the rest.
//
// The first row is always there, however large. A command has no caps. As text the same rows are
// written by RowText (row_text.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/row.h"
#include "core/value.h"
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

class RowList {
 public:
  RowList(std::vector<Row> rows, const RowShape& shape);

  std::int64_t count() const { return static_cast<std::int64_t>(rows_.size()); }
  List take() && { return std::move(rows_); }

 private:
  void cut_to(std::size_t max_bytes);

  List rows_;
};

// How many rows to ask the database for: no more than one answer may hold.
std::int64_t rows_wanted(std::optional<std::int64_t> limit, const Context& context);

// Where an answer stands among all that match.
struct Portion {
  std::int64_t total = 0;
  std::int64_t offset = 0;
  std::optional<std::int64_t> limit;  // as the caller asked; none: all
  std::int64_t returned = 0;

  // Whether a cap took rows that the caller asked for.
  bool is_cut() const;
};

// Sets total, returned, offset, limit, truncated, and where there is more next_offset and notice.
void describe_portion(Value& answer, const Portion& portion, const Context& context);

// The issues of an answer; of many only the first, since a model reads them.
Value first_issues(const std::vector<Issue>& issues, const Context& context);

}  // namespace notesdb
