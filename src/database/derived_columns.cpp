#include "database/derived_columns.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/budget.h"
#include "core/date.h"
#include "index/relation_cache.h"
#include "query/metric.h"
#include "query/number.h"

namespace notesdb {
namespace {

// Negative, 0 or positive; dates by calendar, numbers numerically, else by code point.
int compare_values(const Value& a, const Value& b) {
  const auto number_a = a.is_number() ? Number::of(a) : std::nullopt;
  const auto number_b = b.is_number() ? Number::of(b) : std::nullopt;
  if (number_a && number_b) return compare(*number_a, *number_b);
  if (!a.is_text() || !b.is_text()) return 0;
  const auto moment_a = parse_moment(a.text());
  const auto moment_b = parse_moment(b.text());
  if (moment_a && moment_b) return *moment_a < *moment_b ? -1 : *moment_b < *moment_a ? 1 : 0;
  return a.text().compare(b.text());
}

// The smallest where `sign` is 1, the largest where it is -1.
Value extreme(const List& values, int sign) {
  const auto less = [&](const Value& a, const Value& b) { return sign * compare_values(a, b) < 0; };
  const auto found = std::min_element(values.begin(), values.end(), less);
  return found == values.end() ? Value() : *found;
}

Value sum_or_average(const List& values, bool average) {
  ExactSum sum;
  std::int64_t count = 0;
  for (const Value& value : values) {
    const auto number = value.is_number() ? Number::of(value) : std::nullopt;
    if (!number) continue;
    sum.add(*number);
    ++count;
  }
  if (!average) return sum.value();
  if (count == 0) return {};
  return sum.approximate() / static_cast<double>(count);
}

// Of all related rows, those where the box is ticked, from 0 to 100.
Value percent_checked(const List& values, std::size_t rows) {
  if (rows == 0) return {};
  const auto checked = std::count(values.begin(), values.end(), Value(true));
  return 100.0 * static_cast<double>(checked) / static_cast<double>(rows);
}

Value whole_where_it_is(Value value) {
  if (!value.is_real()) return value;
  const auto whole = static_cast<std::int64_t>(value.real());
  return static_cast<double>(whole) == value.real() ? Value(whole) : value;
}

// Numbers that are equal are one, however they are written.
Value count_distinct(const List& values) {
  std::unordered_set<std::string> distinct;
  for (const Value& value : values)
    distinct.insert(to_display(whole_where_it_is(value)));
  return static_cast<std::int64_t>(distinct.size());
}

}  // namespace

Value rolled_up(const Rollup& rollup, const List& values, std::size_t rows) {
  const std::string& function = rollup.function;
  if (function == "count")
    return static_cast<std::int64_t>(rollup.field.empty() ? rows : values.size());
  if (function == "sum") return sum_or_average(values, false);
  if (function == "average" || function == "avg")
    return whole_where_it_is(sum_or_average(values, true));
  if (function == "min") return extreme(values, 1);
  if (function == "max") return extreme(values, -1);
  if (function == "count_distinct") return count_distinct(values);
  if (function == "list") return values.empty() ? Value() : Value(values);
  if (function == "percent_checked") return whole_where_it_is(percent_checked(values, rows));
  return {};
}

void add_elements(const Value& value, List& elements) {
  if (is_empty(value)) return;
  if (!value.is_list()) return elements.push_back(value);
  for (const Value& item : value.list())
    elements.push_back(item);
}

const Value* DerivedColumn::find_related(const Column& relation_column, const Value& item) const {
  for (const std::string& id : related_rows(relation_column, item)) {
    const auto found = related.find(id);
    if (found != related.end()) return &found->second;
  }
  BodyLink link;
  const bool is_link =
      item.is_text() && item.text().starts_with('[') && scan_whole_link(item.text(), link);
  if (!is_link) return nullptr;
  constexpr std::string_view ending = ".md";
  if (!names) {
    names = std::make_shared<LinkNames>();
    for (const auto& [id, value] : related)
      names->add(id + std::string(ending));
  }
  const auto meaning = names->resolve(path_meant(link), link.form, "");
  if (!meaning.is_found()) return nullptr;
  const std::string& path = names->path(meaning.file);
  return &related.at(path.substr(0, path.size() - ending.size()));
}

const Value* DerivedColumn::find_own(const std::string& row_id) const {
  const auto& values = by_row ? *by_row : related;
  const auto found = values.find(row_id);
  return found == values.end() ? nullptr : &found->second;
}

Value DerivedColumn::value_for(const Column& relation_column, const Value& named) const {
  List values;
  std::size_t rows = 0;
  const List one{named};
  for (const Value& item : named.is_list() ? named.list() : one) {
    const Value* found = find_related(relation_column, item);
    if (found == nullptr) continue;
    ++rows;
    if (!rollup && !column.holds_list()) return *found;
    add_elements(*found, values);
  }
  if (rollup) return rolled_up(*rollup, values, rows);
  return values.empty() ? Value() : Value(std::move(values));
}

void DerivedColumns::add(DerivedColumn column) {
  if (!changed_) changed_ = own_;
  if (column.rollup) {
    changed_->columns[column.place] = column.column;
  } else {
    column.place = changed_->columns.size();
    changed_->columns.push_back(column.column);
  }
  columns_.push_back(std::move(column));
}

DerivedTable::Computed DerivedTable::own_values(const Table& table, const DerivedColumn& column) {
  Computed computed;
  Budget::take(table.row_count() * (sizeof(std::uint32_t) + sizeof(Value*)));
  computed.codes.resize(table.row_count());
  if (!column.of_none.is_null()) computed.own.push_back(&column.of_none);
  const auto none = static_cast<std::uint32_t>(computed.own.size());
  for (std::uint32_t row = 0; row < table.row_count(); ++row) {
    const Value* found = column.find_own(std::string(table.row_id(row)));
    computed.codes[row] = none;
    if (found == nullptr) continue;
    computed.own.push_back(found);
    computed.codes[row] = static_cast<std::uint32_t>(computed.own.size());
  }
  return computed;
}

DerivedTable::DerivedTable(const Table& table, const DerivedColumns& derived) : table_(table) {
  for (const DerivedColumn& column : derived.columns()) {
    Computed& computed = computed_[column.place];
    if (column.is_own) {
      computed = own_values(table, column);
      continue;
    }
    if (!column.meant.empty()) {
      const auto codes = table.codes(column.place);
      computed = {{codes.begin(), codes.end()}, column.meant};
      continue;
    }
    const Column& relation = derived.schema().columns[column.relation];
    const auto codes = table.codes(column.relation);
    computed.codes.resize(codes.size());
    std::transform(codes.begin(), codes.end(), computed.codes.begin(), [](std::uint32_t code) {
      return code + 1;
    });
    computed.values.push_back(column.value_for(relation, Value()));
    Budget::take(codes.size_bytes() + table.value_count(column.relation) * sizeof(Value));
    std::uint32_t computed_values = 0;
    for (std::uint32_t code = 1; code <= table.value_count(column.relation); ++code) {
      Budget::look_rarely(computed_values);
      computed.values.push_back(column.value_for(relation, table.value(column.relation, code)));
    }
  }
}

const DerivedTable::Computed* DerivedTable::find(std::size_t column) const {
  const auto found = computed_.find(column);
  return found == computed_.end() ? nullptr : &found->second;
}

std::span<const std::uint32_t> DerivedTable::codes(std::size_t column) const {
  const Computed* computed = find(column);
  return computed != nullptr ? std::span<const std::uint32_t>(computed->codes)
                             : table_.codes(column);
}

std::uint32_t DerivedTable::value_count(std::size_t column) const {
  const Computed* computed = find(column);
  return computed != nullptr
             ? static_cast<std::uint32_t>(computed->values.size() + computed->own.size())
             : table_.value_count(column);
}

Value DerivedTable::value(std::size_t column, std::uint32_t code) const {
  const Computed* computed = find(column);
  if (computed == nullptr) return table_.value(column, code);
  return computed->own.empty() ? computed->values[code - 1] : *computed->own[code - 1];
}

bool DerivedTable::fits(std::size_t column, std::uint32_t code) const {
  return find(column) != nullptr || table_.fits(column, code);
}

std::span<const std::uint32_t> DerivedTable::ranks(std::size_t column) const {
  return find(column) != nullptr ? std::span<const std::uint32_t>() : table_.ranks(column);
}

const Column* followed_relation(const Schema& schema, std::string_view name) {
  const Column* relation = nullptr;
  if (const Column* declared = schema.find(name)) {
    if (declared->rollup) relation = schema.find(declared->rollup->relation);
  } else if (const std::size_t dot = name.find('.'); dot != std::string_view::npos) {
    relation = schema.find(name.substr(0, dot));
  }
  return relation != nullptr && relation->type == ColumnType::relation ? relation : nullptr;
}

Column rollup_column(const Column& declared, const Column* field) {
  Column column = declared;
  const std::string& function = declared.rollup->function;
  const bool keeps_type = field != nullptr && (function == "min" || function == "max");
  column.type = keeps_type && !field->holds_list() ? field->type : ColumnType::number;
  if (function == "list") column.type = ColumnType::list;
  return column;
}

Column followed_column(const Column& relation, Column field, std::string id) {
  if (relation.multiple && !field.holds_list()) {
    field.type = ColumnType::list;
    field.options.clear();
  }
  field.name = id;
  field.id = std::move(id);
  return field;
}

}  // namespace notesdb
