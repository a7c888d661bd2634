#include "query/scan.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>

#include "core/budget.h"
#include "core/text.h"

namespace notesdb {

namespace {

constexpr std::size_t block_size = 4096;
using Block = std::array<std::uint32_t, block_size>;

// One condition over one table, with the verdicts it has come to.
class ConditionEval {
 public:
  ConditionEval(const Table& table, const Condition& condition)
      : condition_(&condition), values_(table, condition.field) {
    if (!values_.coded()) return;
    Budget::take(values_.value_count());
    verdicts_.assign(values_.value_count() + std::size_t{1}, open);
    // A small dictionary is judged as a whole, and the scan has nothing left to ask.
    decided_ = verdicts_.size() <= table.row_count() / 4;
    for (std::uint32_t code = 0; decided_ && code < verdicts_.size(); ++code)
      judge(code);
  }

  // What a row costs: a look-up, a text made for it, a file read for it.
  int cost() const {
    if (values_.coded()) return 0;
    return condition_->field.source == Field::Source::body ? 2 : 1;
  }

  bool passes(std::uint32_t row) {
    if (!values_.coded()) return passes_uncoded(row);
    return verdict(values_.codes()[row]) == yes;
  }

  // Keeps those of `rows` that pass, in place; how many they are.
  std::size_t narrow(std::span<std::uint32_t> rows) {
    std::size_t kept = 0;
    if (!values_.coded()) {
      for (std::uint32_t row : rows) {
        rows[kept] = row;
        kept += static_cast<std::size_t>(passes_uncoded(row));
      }
      return kept;
    }
    return decided_ ? narrow_decided(rows) : narrow_open(rows);
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  static constexpr std::uint8_t no = 0;
  static constexpr std::uint8_t yes = 1;
  static constexpr std::uint8_t open = 2;

  std::size_t narrow_decided(std::span<std::uint32_t> rows) const {
    const std::uint32_t* codes = values_.codes().data();
    const std::uint8_t* verdicts = verdicts_.data();
    std::size_t kept = 0;
    for (std::uint32_t row : rows) {
      rows[kept] = row;
      kept += verdicts[codes[row]];
    }
    return kept;
  }

  std::size_t narrow_open(std::span<std::uint32_t> rows) {
    const std::uint32_t* codes = values_.codes().data();
    std::size_t kept = 0;
    for (std::uint32_t row : rows) {
      rows[kept] = row;
      kept += verdict(codes[row]);
    }
    return kept;
  }

  std::uint8_t verdict(std::uint32_t code) {
    std::uint8_t known = verdicts_[code];
    return known == open ? judge(code) : known;
  }

  std::uint8_t judge(std::uint32_t code) {
    Budget::look_rarely(judged_);
    Fit fit = values_.fits(code) ? Fit::fits : Fit::does_not_fit;
    return verdicts_[code] = condition_->holds(values_.of_code(code), fit) ? yes : no;
  }

  bool passes_uncoded(std::uint32_t row) {
    if (error_) return false;
    Budget::look();
    Result<Value> value = values_.of_row(row);
    if (value) return condition_->holds(*value, Fit::fits);
    error_ = value.error();
    return false;
  }

  const Condition* condition_;
  FieldValues values_;
  std::vector<std::uint8_t> verdicts_;
  bool decided_ = false;
  std::uint32_t judged_ = 0;
  std::optional<Error> error_;
};

// An element of the filter: true when one of its judges says so.
class AnyOfEval {
 public:
  AnyOfEval(const Table& table, const AnyOf& group) {
    for (const Condition& condition : group)
      judges_.emplace_back(table, condition);
    std::ranges::stable_sort(judges_, {}, &ConditionEval::cost);
  }

  int cost() const { return judges_.empty() ? 0 : judges_.back().cost(); }

  std::size_t narrow(std::span<std::uint32_t> rows) {
    if (judges_.size() == 1) return judges_.front().narrow(rows);
    std::size_t kept = 0;
    for (std::uint32_t row : rows) {
      rows[kept] = row;
      bool pass =
          std::ranges::any_of(judges_, [&](ConditionEval& judge) { return judge.passes(row); });
      kept += static_cast<std::size_t>(pass);
    }
    return kept;
  }

  const Error* error() const {
    auto failed = std::ranges::find_if(
        judges_, [](const ConditionEval& judge) { return judge.error().has_value(); });
    return failed == judges_.end() ? nullptr : &*failed->error();
  }

 private:
  std::vector<ConditionEval> judges_;
};

std::vector<std::uint32_t> all_rows(const Table& table) {
  Budget::take(table.row_count() * sizeof(std::uint32_t));
  std::vector<std::uint32_t> rows(table.row_count());
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

struct RowRange {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

// The rows that may pass. A row that is asked for by its id is found, since rows are in order.
RowRange rows_in_question(const Table& table, const Filter& filter) {
  const std::uint32_t count = table.row_count();
  for (const AnyOf& group : filter.all) {
    const Condition& condition = group.front();
    const bool is_one_id = group.size() == 1 && condition.field.source == Field::Source::id &&
                           condition.operation->name == "eq" && condition.operand.text;
    if (!is_one_id) continue;
    const std::string_view wanted = *condition.operand.text;
    std::uint32_t low = 0;
    for (std::uint32_t high = count; low < high;) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (compare_natural(table.row_id(middle), wanted) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return {low, std::min(low + 1, count)};
  }
  return {0, count};
}

}  // namespace

Result<std::vector<std::uint32_t>> matching_rows(const Table& table, const Filter& filter) {
  if (filter.empty()) return all_rows(table);
  std::vector<AnyOfEval> benches;
  for (const AnyOf& group : filter.all)
    benches.emplace_back(table, group);
  std::ranges::stable_sort(benches, {}, &AnyOfEval::cost);

  std::vector<std::uint32_t> matches;
  Block block{};
  const RowRange asked = rows_in_question(table, filter);
  for (std::uint32_t first = asked.first; first < asked.end; first += block_size) {
    std::size_t count = std::min<std::size_t>(block_size, asked.end - first);
    std::iota(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count), first);
    for (AnyOfEval& bench : benches) {
      count = bench.narrow(std::span(block).first(count));
      if (const Error* error = bench.error()) return *error;
    }
    Budget::look();
    Budget::take(count * sizeof(std::uint32_t));
    matches.insert(
        matches.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return matches;
}

}  // namespace notesdb
