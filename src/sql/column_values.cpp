#include "sql/column_values.h"

#include <algorithm>
#include <cmath>

#include "core/budget.h"
#include "sql/sql_table.h"

namespace notesdb {

using sqlite::Scalar;

Affinity affinity_of(const Column& column) {
  return declared_sql_type(column) == "TEXT" ? Affinity::text : Affinity::numeric;
}

bool may_be_number(std::string_view text) {
  constexpr std::string_view starts = "0123456789+-. \t\n\v\f\r";
  return !text.empty() && starts.find(text.front()) != std::string_view::npos;
}

namespace {

bool is_as_stored(const Value& scalar, Affinity affinity) {
  if (scalar.is_null()) return true;
  if (affinity == Affinity::text) return scalar.is_text();
  if (scalar.is_real())
    return std::isfinite(scalar.real()) && std::trunc(scalar.real()) != scalar.real();
  return scalar.is_integer() || (scalar.is_text() && !may_be_number(scalar.text()));
}

}  // namespace

Value AffinityTable::stored(const Value& scalar, Affinity affinity) {
  if (is_as_stored(scalar, affinity)) return scalar;
  if (!file_) open();
  const bool is_text = affinity == Affinity::text;
  insert_->bind_null(is_text ? 2 : 1).bind_value(is_text ? 1 : 2, scalar).run();
  read_->step();
  Value value = read_->value(is_text ? 0 : 1);
  read_->reset();
  return value;
}

void AffinityTable::open() {
  file_ = std::make_unique<sqlite::Connection>(":memory:");
  file_->execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b NUMERIC)");
  insert_ = std::make_unique<sqlite::Statement>(
      file_->prepare("INSERT OR REPLACE INTO t VALUES (1, ?1, ?2)"));
  read_ = std::make_unique<sqlite::Statement>(file_->prepare("SELECT a, b FROM t"));
}

ColumnValues::ColumnValues(const RowTable& rows,
                           const Table& values,
                           std::size_t place,
                           const Column& column,
                           AffinityTable& stored)
    : rows_(rows),
      values_(values),
      place_(place),
      column_(column),
      stored_(stored),
      affinity_(affinity_of(column)),
      codes_(values.codes(place)),
      count_(values.value_count(place) + 1),
      blocks_(count_ / block_size + 1) {}

const Scalar& ColumnValues::make(std::uint32_t code) {
  auto& block = blocks_[code / block_size];
  if (!block) {
    Budget::take(sizeof(Block));
    block = std::make_unique<Block>();
  }
  Scalar& made = block->values[code % block_size];
  made = scalar_of(code);
  block->is_made.set(code % block_size);
  return made;
}

Scalar ColumnValues::scalar_of(std::uint32_t code) {
  if (code == 0) return {};
  if (affinity_ == Affinity::text && column_.type != ColumnType::relation) {
    const auto plain = &values_ == &rows_ ? rows_.plain(place_, code) : std::nullopt;
    if (plain && plain->is_text) return Scalar::of(plain->encoded);
  }
  return keep(stored_.stored(sql_value(column_, values_.value(place_, code)), affinity_));
}

Scalar ColumnValues::keep(const Value& value) {
  if (value.is_integer()) return Scalar::of(value.integer());
  if (value.is_real()) return Scalar::of(value.real());
  if (!value.is_text()) return {};
  Budget::take(sizeof(std::string) + value.text().size());
  return Scalar::of(std::string_view(texts_.emplace_back(value.text())));
}

// A counting sort of the rows by their codes, and a sort of the codes.
void ColumnValues::sort() {
  Budget::take((codes_.size() + 3 * std::size_t{count_}) * sizeof(std::uint32_t));
  first_.assign(std::size_t{count_} + 1, 0);
  for (const std::uint32_t code : codes_)
    ++first_[code + 1];
  for (std::uint32_t code = 0; code < count_; ++code) {
    if (first_[code + 1] > 0 && of_code(code).kind != Scalar::Kind::null) sorted_.push_back(code);
    first_[code + 1] += first_[code];
  }
  by_code_.resize(codes_.size());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t row = 0; row < codes_.size(); ++row)
    by_code_[next[codes_[row]]++] = row;
  Budget::look();
  std::ranges::sort(sorted_, [&](std::uint32_t a, std::uint32_t b) {
    return compare(of_code(a), of_code(b)) < 0;
  });
}

std::vector<std::uint32_t> ColumnValues::rows_with(const Scalar& value) {
  if (first_.empty()) sort();
  const auto before = [](const Scalar& a, const Scalar& b) { return compare(a, b) < 0; };
  const auto scalar = [&](std::uint32_t code) -> const Scalar& { return of_code(code); };
  const auto range = std::ranges::equal_range(sorted_, value, before, scalar);
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t code : range)
    rows.insert(rows.end(), by_code_.begin() + first_[code], by_code_.begin() + first_[code + 1]);
  if (range.size() > 1) std::ranges::sort(rows);
  return rows;
}

}  // namespace notesdb
