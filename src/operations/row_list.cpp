#include "operations/row_list.h"

#include <algorithm>
#include <limits>

#include "operations/json_value.h"

namespace notesdb {

namespace {

constexpr std::int64_t everything = std::numeric_limits<std::int64_t>::max();

Value or_null(const Value* value) {
  return value == nullptr ? Value() : *value;
}

}  // namespace

RowList::RowList(const std::vector<Row>& rows, RowListing listing) : listing_(std::move(listing)) {
  std::size_t bytes = 0;
  rows_.reserve(rows.size());
  for (const Row& row : rows) {
    Value value = written(row);
    if (listing_.most_bytes) {
      bytes += to_json(value).size() + 1;
      if (bytes > *listing_.most_bytes && !rows_.empty()) break;
    }
    rows_.push_back(std::move(value));
  }
}

std::vector<std::string> RowList::columns() const {
  if (listing_.format == RowFormat::objects) return listing_.columns;
  std::vector<std::string> columns{"_id", "_etag"};
  columns.insert(columns.end(), listing_.columns.begin(), listing_.columns.end());
  if (listing_.body == BodyIn::included) columns.emplace_back("_body");
  return columns;
}

Value RowList::written(const Row& row) const {
  if (listing_.format == RowFormat::table) return as_table_row(row);
  Value value = to_value(row, listing_.body);
  if (!row.issues.empty()) value.set("issues", to_value(row.issues));
  return value;
}

Value RowList::as_table_row(const Row& row) const {
  List cells{row.id, to_text(row.etag)};
  for (const std::string& column : listing_.columns) {
    if (column == "_modified")
      cells.emplace_back(row.modified);
    else
      cells.push_back(or_null(find_member(row.fields, column)));
  }
  if (listing_.body == BodyIn::included) cells.emplace_back(row.body);
  return cells;
}

std::int64_t rows_wanted(std::optional<std::int64_t> limit, const Context& context) {
  return std::min(limit.value_or(everything), context.most_rows().value_or(everything));
}

bool Page::is_cut() const {
  std::int64_t matching = std::max<std::int64_t>(0, total - offset);
  return returned < std::min(matching, limit.value_or(everything));
}

namespace {

std::string cut_notice(const Page& page, const Context& context) {
  bool by_rows = context.most_rows() && page.returned == *context.most_rows();
  std::string cap = by_rows ? std::to_string(*context.most_rows()) + " rows (max_rows)"
                            : std::to_string(most_bytes_of_rows >> 10U) + " KiB of rows";
  return "cut at " + cap + ", the most one answer may hold: " + std::to_string(page.returned) +
         " of " + std::to_string(page.total) + " rows are here; go on with offset " +
         std::to_string(page.offset + page.returned) + ", or narrow filters or select";
}

}  // namespace

void describe_page(Value& answer, const Page& page, const Context& context) {
  answer.set("total", page.total);
  answer.set("returned", page.returned);
  answer.set("offset", page.offset);
  if (page.limit) answer.set("limit", *page.limit);
  answer.set("truncated", page.is_cut());
  // A page that begins past the last row has nothing after it.
  std::int64_t next = page.offset + page.returned;
  if (page.offset < page.total && next < page.total) answer.set("next_offset", next);
  if (page.is_cut()) answer.set("notice", cut_notice(page, context));
}

Value first_issues(const std::vector<Issue>& issues, const Context& context) {
  constexpr std::size_t most = 20;
  if (context.caps == Caps::none || issues.size() <= most) return to_value(issues);
  return to_value(std::vector<Issue>(issues.begin(), issues.begin() + most));
}

}  // namespace notesdb
