#include "operations/row_text.h"

#include <algorithm>

#include "core/budget.h"
#include "json/json_value.h"

namespace notesdb {

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
  add([&] { pen_.put_value(row_value(std::move(row), shape_)); });
  if (!is_full_) issues_.insert(issues_.end(), issues.begin(), issues.end());
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
