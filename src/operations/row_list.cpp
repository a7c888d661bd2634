#include "operations/row_list.h"

#include <algorithm>

#include "core/budget.h"
#include "core/number_text.h"
#include "core/text.h"
#include "json/json_value.h"

namespace notesdb {

namespace {

// The most that a query may be asked for.
constexpr std::int64_t everything = std::int64_t{1} << 53;

Value or_null(const Value* value) {
  return value == nullptr ? Value() : *value;
}

// No fewer than a value takes as JSON, without writing it.
std::size_t max_json_bytes(const Value& value) {
  constexpr std::size_t of_number = 32;
  constexpr std::size_t of_character = 6;  // \u00ff
  const auto of_text = [](const std::string& text) { return of_character * text.size() + 2; };
  std::size_t bytes = 2;
  switch (value.kind()) {
    case ValueKind::text: return of_text(value.text());
    case ValueKind::list:
      for (const Value& item : value.list())
        bytes += max_json_bytes(item) + 1;
      return bytes;
    case ValueKind::map:
      for (const Member& member : value.map())
        bytes += of_text(member.key) + max_json_bytes(member.value) + 2;
      return bytes;
    default: return of_number;
  }
}

Value table_row(const Row& row, const RowShape& shape) {
  List cells{row.id, to_text(row.etag)};
  for (const std::string& column : shape.columns) {
    if (column == "_modified")
      cells.emplace_back(row.modified);
    else
      cells.push_back(or_null(find_member(row.fields, column)));
  }
  if (shape.body == BodyIn::included) cells.emplace_back(row.body);
  return cells;
}

}  // namespace

std::vector<std::string> shown_columns(const RowShape& shape) {
  if (shape.format == RowFormat::objects) return shape.columns;
  std::vector<std::string> columns{"_id", "_etag"};
  columns.insert(columns.end(), shape.columns.begin(), shape.columns.end());
  if (shape.body == BodyIn::included) columns.emplace_back("_body");
  return columns;
}

Value row_value(Row&& row, const RowShape& shape) {
  if (shape.format == RowFormat::table) return table_row(row, shape);
  const std::vector<Issue> issues = std::move(row.issues);
  Value value = to_value(std::move(row), shape.body);
  if (!issues.empty()) value.set("issues", to_value(issues));
  return value;
}

bool cut_body(Row& row, const RowShape& shape) {
  if (shape.body == BodyIn::left_out || !shape.max_bytes) return false;
  const std::size_t most = *shape.max_bytes / 2;  // its line ends take two bytes each
  if (row.body.size() <= most) return false;
  row.body.resize(whole_characters(row.body, most));
  return true;
}

RowList::RowList(std::vector<Row> rows, const RowShape& shape) {
  std::size_t bound = 0;
  rows_.reserve(rows.size());
  for (Row& row : rows) {
    if (cut_body(row, shape)) cut_bodies_.push_back(row.id);
    rows_.push_back(row_value(std::move(row), shape));
    if (shape.max_bytes) bound += max_json_bytes(rows_.back()) + 1;
  }
  if (shape.max_bytes && bound > *shape.max_bytes) cut_to(*shape.max_bytes);
}

void RowList::cut_to(std::size_t max_bytes) {
  rows_.resize(count_within(rows_, max_bytes));
}

std::size_t count_within(const List& items, std::optional<std::size_t> max_bytes) {
  std::size_t bytes = 0;
  for (std::size_t kept = 0; max_bytes && kept < items.size(); ++kept) {
    bytes += to_json(items[kept]).size() + 1;
    if (bytes > *max_bytes && kept > 0) return kept;
  }
  return items.size();
}

std::string cut_bodies_notice(const std::vector<std::string>& rows) {
  if (rows.empty()) return "";
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 3); ++i)
    names += (i == 0 ? "'" : ", '") + rows[i] + "'";
  if (rows.size() > 3) names += " and others";
  return "only the beginning of the body of " + names +
         " is here; db_get_row gives all of it in parts";
}

std::string byte_cap(const Context& context) {
  const bool is_setting = context.caps == Caps::apply;
  return size_text(is_setting ? context.workspace.settings().max_bytes.value
                              : context.max_bytes().value_or(0));
}

std::int64_t rows_wanted(std::optional<std::int64_t> limit, const Context& context) {
  return std::min(limit.value_or(everything), context.row_cap().value_or(everything));
}

bool Portion::is_cut() const {
  std::int64_t matching = std::max<std::int64_t>(0, total - offset);
  return returned < std::min(matching, limit.value_or(everything));
}

namespace {

std::string cut_notice(const Portion& portion, const Context& context) {
  const bool by_rows = context.row_cap() && portion.returned == *context.row_cap();
  const std::string cap =
      by_rows ? std::to_string(*context.row_cap()) + " rows" : byte_cap(context) + " of rows";
  const std::string setting = by_rows ? " (max_rows)" : " (max_bytes)";
  std::string notice =
      "cut at " + cap + (context.caps == Caps::apply ? setting : "") +
      ", the most one answer may hold: " + std::to_string(portion.returned) + " of " +
      std::to_string(portion.total) + " rows are here; go on with offset " +
      std::to_string(portion.offset + portion.returned) + ", or narrow filters or select";
  if (!by_rows && portion.may_be_table) notice += "; format table holds more rows";
  return notice;
}

}  // namespace

void describe_portion(Value& answer, const Portion& portion, const Context& context) {
  answer.set("total", portion.total);
  answer.set("returned", portion.returned);
  answer.set("offset", portion.offset);
  if (portion.limit) answer.set("limit", *portion.limit);
  answer.set("truncated", portion.is_cut());
  // A portion that begins past the last row has nothing after it.
  std::int64_t next = portion.offset + portion.returned;
  if (portion.offset < portion.total && next < portion.total) answer.set("next_offset", next);
  if (portion.is_cut()) answer.set("notice", cut_notice(portion, context));
}

Value first_issues(const std::vector<Issue>& issues, const Context& context) {
  constexpr std::size_t most = 20;
  if (context.caps != Caps::apply || issues.size() <= most) return to_value(issues);
  return to_value(std::vector<Issue>(issues.begin(), issues.begin() + most));
}

void RowText::begin(const std::vector<std::string>& columns, std::size_t rows) {
  max_rows_ = rows;
  shape_.columns = columns;
  for (const std::string& column : columns)
    keys_.push_back("," + to_json(column) + ":");
}

// As RowList does, the first that is one too many ends it; each counts with what parts it from the
// one before.
template <typename Write>
void RowText::add(const Write& write) {
  const std::size_t begun = pen_.size();
  if (as_ == RowsAs::list) pen_.put(count_ == 0 ? '[' : ',');
  write();
  if (as_ == RowsAs::lines) pen_.put('\n');
  Budget::take(pen_.size() - begun);
  is_full_ = shape_.max_bytes && count_ > 0 && pen_.size() > *shape_.max_bytes;
  if (is_full_) return pen_.shorten(begun);
  if (count_++ == 0) expect_like(pen_.size());
}

// A text that grows by and by is copied again and again. Rows are mostly alike; where they are not
// this is a guess, so it is a small one.
void RowText::expect_like(std::size_t first) {
  constexpr std::size_t most = std::size_t{64} << 10;
  pen_.expect(std::min(first * max_rows_ + first, most));
}

void RowText::take(Row row) {
  const std::vector<Issue> issues = row.issues;
  const std::string id = row.id;
  const bool is_cut = cut_body(row, shape_);
  add([&] { pen_.put_value(row_value(std::move(row), shape_)); });
  if (is_full_) return;
  issues_.insert(issues_.end(), issues.begin(), issues.end());
  if (is_cut) cut_bodies_.push_back(id);
}

void RowText::take(const ListedRow& row) {
  add([&] { shape_.format == RowFormat::table ? write_cells(row) : write_object(row); });
}

std::string RowText::text() && {
  if (as_ == RowsAs::list) pen_.put(count_ == 0 ? std::string_view("[]") : std::string_view("]"));
  pen_.finish();
  return std::move(text_);
}

void RowText::write_object(const ListedRow& row) {
  pen_.put(R"({"id":)");
  pen_.put_text(row.id());
  pen_.put(R"(,"etag":)");
  put_etag(row.etag());
  pen_.put(R"(,"fields":{)");
  const std::size_t none = pen_.size();
  bool shows_modified = false;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const Field& field = row.shown()[i];
    const bool is_column = field.source == Field::Source::column;
    const std::uint32_t code = is_column ? row.code(field) : 0;
    shows_modified = shows_modified || field.source == Field::Source::modified;
    if (code == 0 && field.source != Field::Source::path) continue;
    const std::string_view key = keys_[i];
    pen_.put(pen_.size() == none ? key.substr(1) : key);
    is_column ? write_value(row, field, code) : pen_.put_text(row.path());
  }
  pen_.put('}');
  if (shows_modified) {
    pen_.put(R"(,"modified":)");
    pen_.put_text(row.modified());
  }
  pen_.put('}');
}

void RowText::write_cells(const ListedRow& row) {
  pen_.put('[');
  pen_.put_text(row.id());
  pen_.put(',');
  put_etag(row.etag());
  for (const Field& field : row.shown()) {
    pen_.put(',');
    switch (field.source) {
      case Field::Source::column: write_value(row, field, row.code(field)); break;
      case Field::Source::path: pen_.put_text(row.path()); break;
      case Field::Source::modified: pen_.put_text(row.modified()); break;
      case Field::Source::id:
      case Field::Source::body: pen_.put("null"); break;
    }
  }
  pen_.put(']');
}

void RowText::put_etag(Etag etag) {
  const auto digits = digits_of(etag);
  pen_.put_quoted({digits.data(), digits.size()});
}

void RowText::write_value(const ListedRow& row, const Field& column, std::uint32_t code) {
  if (code == 0) return pen_.put("null");
  const auto plain = row.plain(column, code);
  if (!plain) return pen_.put_value(row.value(column, code));
  plain->is_text ? pen_.put_text(plain->encoded) : pen_.put(plain->encoded);
}

}  // namespace notesdb
