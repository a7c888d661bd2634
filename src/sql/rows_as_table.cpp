#include "sql/rows_as_table.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>

#include "core/budget.h"
#include "core/date.h"
#include "sql/sql_table.h"

namespace notesdb {

using sqlite::Comparison;
using sqlite::Constraint;
using sqlite::ConstraintValue;
using sqlite::ConstraintValues;
using sqlite::Plan;
using sqlite::Scalar;
using sqlite::SortTerm;

namespace {

using Source = RowsAsTable::Source;

// Whether rows come like that anyway.
bool is_natural(const std::vector<SortTerm>& order) {
  return order.empty() ||
         (order.front().column == sqlite::rowid_column && !order.front().is_descending);
}

bool is_equality(Comparison comparison) {
  return comparison == Comparison::eq || comparison == Comparison::is ||
         comparison == Comparison::in;
}

// Whether a value, compared with the operand, may pass; it is sure to be asked again.
bool may_pass(const Scalar& value, Comparison comparison, const Scalar& operand) {
  const bool is_null = value.kind == Scalar::Kind::null;
  switch (comparison) {
    case Comparison::is_null: return is_null;
    case Comparison::is: return compare(value, operand) == 0;
    default: break;
  }
  if (is_null || operand.kind == Scalar::Kind::null) return false;
  const int order = compare(value, operand);
  switch (comparison) {
    case Comparison::gt: return order > 0;
    case Comparison::gte: return order >= 0;
    case Comparison::lt: return order < 0;
    case Comparison::lte: return order <= 0;
    default: return order == 0;
  }
}

void sort_once(std::vector<std::uint32_t>& rows) {
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

// A condition with what it compares with, over one column of the index.
class Test {
 public:
  Test(ColumnValues& values, Comparison comparison, const ConstraintValues& given)
      : values_(values), comparison_(comparison) {
    for (const ConstraintValue& value : given)
      add(value);
    std::ranges::sort(wanted_, [](const Scalar& a, const Scalar& b) { return compare(a, b) < 0; });
  }
  Test(Test&&) = delete;

  bool is_open() const { return is_open_; }

  bool may_pass(std::uint32_t row) {
    if (is_open_) return true;
    if (verdicts_.empty()) {
      Budget::take(values_.code_count());
      verdicts_.assign(values_.code_count(), unknown);
    }
    std::uint8_t& verdict = verdicts_[values_.code(row)];
    if (verdict == unknown) verdict = judge(values_.of_row(row)) ? yes : no;
    return verdict == yes;
  }

  // The rows that may pass, where looking them up is the way to them.
  std::optional<std::vector<std::uint32_t>> look_up() {
    const bool is_for_null = comparison_ == Comparison::is && is_null(wanted_.front());
    if (is_open_ || is_for_null || !is_equality(comparison_)) return std::nullopt;
    std::vector<std::uint32_t> rows;
    if (std::ranges::all_of(wanted_, is_null)) return rows;
    if (!values_.is_looked_up()) return std::nullopt;
    for (const Scalar& wanted : wanted_) {
      const auto some = values_.rows_with(wanted);
      rows.insert(rows.end(), some.begin(), some.end());
    }
    if (wanted_.size() > 1) sort_once(rows);
    return rows;
  }

 private:
  static constexpr std::uint8_t no = 0;
  static constexpr std::uint8_t yes = 1;
  static constexpr std::uint8_t unknown = 2;

  static bool is_null(const Scalar& scalar) { return scalar.kind == Scalar::Kind::null; }

  void add(const ConstraintValue& given) {
    const bool is_numeric = values_.affinity() == Affinity::numeric;
    Scalar& wanted = wanted_.emplace_back(is_numeric ? given.as_number : given.value);
    wanted.text = texts_.emplace_back(wanted.text);
    if (comparison_ == Comparison::is_null || is_null(wanted)) return;
    // Beside a number a TEXT column is text or a number, depending on where the number comes from;
    // a BLOB is SQLite's own matter.
    if (wanted.kind == Scalar::Kind::blob || (!is_numeric && wanted.is_number())) is_open_ = true;
    // Beside a text from a NUMERIC column it is a number where it spells one.
    spares_numbers_ = !is_numeric && !is_equality(comparison_);
  }

  bool judge(const Scalar& value) const {
    if (comparison_ == Comparison::in) {
      const auto before = [](const Scalar& a, const Scalar& b) { return compare(a, b) < 0; };
      return !is_null(value) && std::ranges::binary_search(wanted_, value, before);
    }
    if (spares_numbers_ && value.kind == Scalar::Kind::text && may_be_number(value.text))
      return true;
    return notesdb::may_pass(value, comparison_, wanted_.front());
  }

  ColumnValues& values_;
  Comparison comparison_;
  std::deque<std::string> texts_;  // what the values lie in
  std::vector<Scalar> wanted_;     // in the order of SQLite
  bool is_open_ = false;
  bool spares_numbers_ = false;
  std::vector<std::uint8_t> verdicts_;
};

}  // namespace

RowsAsTable::RowsAsTable(Snapshot& snapshot, AffinityTable& stored)
    : snapshot_(snapshot), stored_(stored), values_(snapshot.schema().columns.size()) {}

std::vector<RowsAsTable::Named> RowsAsTable::columns_of(const Schema& schema) {
  std::vector<Named> columns{{"_id", "TEXT"}};
  for (const Column& column : schema.columns)
    columns.push_back({column.id, declared_sql_type(column), &column});
  columns.push_back({"_body", "TEXT"});
  for (const char* name : {"_path", "_modified", "id", "row_id"})
    columns.push_back({name, "TEXT", nullptr, true});
  std::vector<std::string> names;
  for (const Named& column : columns)
    names.push_back(column.name);
  names = unique_sql_names(names);
  for (std::size_t i = 0; i < names.size(); ++i)
    columns[i].name = names[i];
  return columns;
}

std::string RowsAsTable::declaration() const {
  std::string declared;
  for (const Named& column : columns_of(snapshot_.schema())) {
    declared += (declared.empty() ? "" : ", ") + sqlite::quoted_name(column.name) + " ";
    declared += column.type;
    if (column.is_hidden) declared += " HIDDEN";
  }
  return "CREATE TABLE t(" + declared + ")";
}

Source RowsAsTable::source(int column) const {
  if (column < 0) return Source::rowid;
  if (column == 0) return Source::id;
  const std::size_t place = RowsAsTable::place(column);
  const std::size_t columns = values_.size();
  if (place < columns) return Source::column;
  constexpr std::array<Source, 5> others{
      Source::body, Source::path, Source::modified, Source::id, Source::id};
  return others[place - columns];
}

ColumnValues& RowsAsTable::values(int column) {
  const std::size_t place = RowsAsTable::place(column);
  if (values_[place]) return *values_[place];
  const Column& declared = snapshot_.schema().columns[place];
  const Table* table = &rows();
  if (declared.is_computed()) {
    if (!std::ranges::binary_search(computed_, place)) {
      computed_ = computed_with(place);
      const auto made = snapshot_.with_computed(computed_);
      if (!made) throw TableUnreadable(made.error());
      made_ = *made;
    }
    table = made_;
  }
  values_[place] = std::make_unique<ColumnValues>(rows(), *table, place, declared, stored_);
  return *values_[place];
}

// The column, and the other computed ones that are read.
std::vector<std::size_t> RowsAsTable::computed_with(std::size_t place) const {
  constexpr std::size_t last_bit = 63;
  const std::vector<Column>& columns = snapshot_.schema().columns;
  std::vector<std::size_t> computed;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << std::min(i + 1, last_bit);
    if (i == place || (columns[i].is_computed() && (columns_read_ & bit) != 0))
      computed.push_back(i);
  }
  return computed;
}

bool RowsAsTable::can_judge(const Constraint& condition) const {
  switch (source(condition.column)) {
    case Source::column: return true;
    case Source::id:
    case Source::rowid: return is_equality(condition.comparison);
    default: return false;
  }
}

bool RowsAsTable::can_sort(const Plan& plan) const {
  return std::ranges::all_of(plan.order, [&](const SortTerm& term) {
    const Source source = this->source(term.column);
    return source == Source::rowid || source == Source::id || source == Source::column;
  });
}

// How many values a column has at most; of one that is computed nobody knows yet.
std::uint32_t RowsAsTable::value_count(int column) const {
  constexpr std::uint32_t guess = 10;
  const std::size_t place = RowsAsTable::place(column);
  return snapshot_.schema().columns[place].is_computed() ? guess : rows().value_count(place);
}

// How much of the table a condition leaves, as far as it can be guessed.
double RowsAsTable::share_of(const Constraint& condition) const {
  constexpr double of_range = 0.4;
  if (!is_equality(condition.comparison)) return of_range;
  const bool is_key = source(condition.column) != Source::column;
  const std::uint32_t values = is_key ? rows().row_count() : value_count(condition.column);
  return 1 / std::max(1.0, static_cast<double>(values));
}

void RowsAsTable::plan(Plan& plan) {
  const double rows = std::max(1.0, static_cast<double>(this->rows().row_count()));
  double share = 1;
  bool is_looked_up = false;
  for (std::size_t i = 0; i < plan.constraints.size(); ++i) {
    const Constraint& condition = plan.constraints[i];
    if (!can_judge(condition)) continue;
    plan.used.push_back(static_cast<int>(i));
    share *= share_of(condition);
    is_looked_up = is_looked_up || is_equality(condition.comparison);
  }
  plan.is_ordered = can_sort(plan);
  const double left = std::max(1.0, rows * share);
  plan.rows = static_cast<std::int64_t>(left);
  plan.cost = 10 + (is_looked_up ? 2 * left : rows);
}

namespace {

class RowsCursor : public sqlite::Cursor {
 public:
  explicit RowsCursor(RowsAsTable& table) : table_(table), rows_(table.rows()) {}

  void filter(const Plan& plan, const std::vector<ConstraintValues>& values) override {
    table_.will_read(plan.columns_read);
    tests_.clear();
    list_.reset();
    order_.clear();
    for (std::size_t i = 0; i < values.size(); ++i)
      add(plan.constraints[static_cast<std::size_t>(plan.used[i])], values[i]);
    at_ = 0;
    if (plan.is_ordered && !is_natural(plan.order)) sort(plan.order);
    settle();
  }

  void next() override {
    ++at_;
    settle();
  }

  bool is_at_end() const override { return at_ >= count(); }

  void put_column(int column, sqlite::Output& output) override {
    const std::uint32_t row = this->row();
    switch (table_.source(column)) {
      case Source::rowid: return output.put(Scalar::of(rowid()));
      case Source::id: return output.put(Scalar::of(rows_.row_id(row)));
      case Source::column: return output.put(table_.values(column).of_row(row));
      case Source::path: return output.put_copy(rows_.path(row));
      case Source::modified: return output.put_copy(format_utc(rows_.modified(row)));
      case Source::body: break;
    }
    const std::string& body = body_of(row);
    body.empty() ? output.put({}) : output.put_copy(body);
  }

  std::int64_t rowid() const override { return std::int64_t{row()} + 1; }

 private:
  std::size_t count() const { return list_ ? list_->size() : rows_.row_count(); }
  std::uint32_t row() const { return list_ ? (*list_)[at_] : static_cast<std::uint32_t>(at_); }

  void add(const Constraint& constraint, const ConstraintValues& values) {
    if (table_.source(constraint.column) != Source::column) return find_keys(constraint, values);
    auto test =
        std::make_unique<Test>(table_.values(constraint.column), constraint.comparison, values);
    auto found = list_ ? std::nullopt : test->look_up();
    if (found) {
      list_ = std::move(found);
    } else if (!test->is_open()) {
      tests_.push_back(std::move(test));
    }
  }

  // The rows with these ids or numbers, where all of them can be told without SQLite.
  void find_keys(const Constraint& constraint, const ConstraintValues& values) {
    const bool is_id = table_.source(constraint.column) == Source::id;
    std::vector<std::uint32_t> rows;
    for (const ConstraintValue& value : values) {
      std::optional<std::uint32_t> row;
      if (value.value.kind == Scalar::Kind::null) continue;  // there is no row without a key
      if (is_id && value.value.kind == Scalar::Kind::text) {
        row = rows_.find(value.value.text);
      } else if (!is_id && value.as_number.kind == Scalar::Kind::integer) {
        const std::int64_t number = value.as_number.integer;
        const bool is_row = number >= 1 && number <= rows_.row_count();
        if (is_row) row = static_cast<std::uint32_t>(number - 1);
      } else {
        return;
      }
      if (row) rows.push_back(*row);
    }
    sort_once(rows);
    list_ = std::move(rows);
  }

  bool may_pass(std::uint32_t row) {
    return std::ranges::all_of(tests_, [&](const auto& test) { return test->may_pass(row); });
  }

  // To the next row that may pass, from here on.
  void settle() {
    if (!order_.empty()) sort_until(at_ + 1);
    while (at_ < count() && !may_pass(row())) {
      ++at_;
      Budget::look_rarely(passed_over_);
    }
    if (at_ < count() && rows_.facts(row()).broken > 0) table_.broken().insert(row());
  }

  // All rows that may pass, to be put in order as they are asked for.
  void sort(const std::vector<SortTerm>& order) {
    std::vector<std::uint32_t> rows;
    for (; at_ < count(); ++at_) {
      Budget::look_rarely(passed_over_);
      if (may_pass(row())) rows.push_back(row());
    }
    Budget::take(rows.size() * sizeof(std::uint32_t));
    tests_.clear();
    list_ = std::move(rows);
    at_ = 0;
    order_ = order;
    sorted_ = 0;
  }

  // The first of those that are left, in portions that grow: nearly always a few are wanted.
  void sort_until(std::size_t end) {
    constexpr std::size_t least = 256;
    const auto before = [&](std::uint32_t a, std::uint32_t b) { return is_before(a, b); };
    while (sorted_ < std::min(end, count())) {
      Budget::look();
      const auto begin = list_->begin() + static_cast<std::ptrdiff_t>(sorted_);
      sorted_ = std::min(std::max(least, sorted_ * 4), count());
      const auto portion = list_->begin() + static_cast<std::ptrdiff_t>(sorted_);
      if (portion != list_->end()) std::nth_element(begin, portion, list_->end(), before);
      std::sort(begin, portion, before);
    }
  }

  bool is_before(std::uint32_t a, std::uint32_t b) {
    for (const SortTerm& term : order_) {
      const int order = compare_by(term.column, a, b);
      if (order != 0) return (order < 0) != term.is_descending;
    }
    return a < b;
  }

  int compare_by(int column, std::uint32_t a, std::uint32_t b) {
    switch (table_.source(column)) {
      case Source::id: return rows_.row_id(a).compare(rows_.row_id(b));
      case Source::column: break;
      default: return a < b ? -1 : static_cast<int>(b < a);
    }
    ColumnValues& values = table_.values(column);
    return values.code(a) == values.code(b) ? 0 : compare(values.of_row(a), values.of_row(b));
  }

  const std::string& body_of(std::uint32_t row) {
    if (body_row_ == row) return body_;
    auto body = rows_.body(row);
    if (!body) throw TableUnreadable(body.error());
    body_ = *std::move(body);
    body_row_ = row;
    return body_;
  }

  RowsAsTable& table_;
  const RowTable& rows_;
  std::vector<std::unique_ptr<Test>> tests_;
  std::optional<std::vector<std::uint32_t>> list_;  // none: all rows
  std::size_t at_ = 0;
  std::vector<SortTerm> order_;
  std::size_t sorted_ = 0;
  std::uint32_t passed_over_ = 0;
  std::optional<std::uint32_t> body_row_;
  std::string body_;
};

}  // namespace

std::unique_ptr<sqlite::Cursor> RowsAsTable::open() {
  return std::make_unique<RowsCursor>(*this);
}

}  // namespace notesdb
