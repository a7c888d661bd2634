#include <algorithm>
#include <mutex>
#include <utility>

#include "core/budget.h"
#include "files/names.h"
#include "index/row_table.h"

namespace notesdb {

namespace {

// How long a change may take to work out the formulas of its rows again.
constexpr std::chrono::milliseconds formula_patience{100};

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::int64_t day_of(expression::Date now) {
  return expression::start_of_day(now, expression::system_time_zone()).milliseconds;
}

}  // namespace

// What a table that stays remembers beside its rows (rank_index.h, relation_cache.h,
// result_cache.h), and how that follows them.

std::span<const std::uint32_t> RowTable::ranks(std::size_t column) const {
  if (!is_own_) return {};
  const Schema& schema = folder_->schema();
  {
    const std::lock_guard guard(kept_mutex_);
    if (ranks_.empty()) ranks_.resize(codes_.size());
    if (ranks_[column].is_nearly_of(*this, column)) return ranks_[column].of(*this, schema, column);
  }
  // Nobody waits for what takes long; two that do it at once come to the same.
  RankIndex made;
  made.of(*this, schema, column);
  const std::lock_guard guard(kept_mutex_);
  if (!ranks_[column].is_nearly_of(*this, column)) ranks_[column] = std::move(made);
  return ranks_[column].of(*this, schema, column);
}

std::vector<bool> RowTable::codes_like(std::size_t column, const Value& value) const {
  std::vector<bool> alike(value_count(column) + std::size_t{1});
  const auto field = bind_field(folder_->schema().columns[column].id, folder_->schema());
  if (!field) return alike;
  const Rank wanted = rank_of(field->read(value), *field);
  const auto kept = ranks(column);
  const std::uint32_t rank = kept.empty() ? 0 : rank_of_value(column, *field, wanted);
  const FieldValues values(*this, *field);
  for (std::uint32_t code = 1; code < alike.size(); ++code) {
    alike[code] = kept.empty() ? rank_of(values.of_code(code), *field) == wanted
                               : rank != 0 && kept[code] == rank;
  }
  return alike;
}

std::optional<std::vector<std::uint32_t>> RowTable::rows_like(std::size_t column,
                                                              std::span<const Value> values) const {
  std::vector<std::uint32_t> rows;
  const auto field = bind_field(folder_->schema().columns[column].id, folder_->schema());
  if (!field) return rows;
  const auto kept = ranks(column);
  if (kept.empty()) return std::nullopt;
  std::vector<std::uint32_t> wanted;
  for (const Value& value : values) {
    const std::uint32_t rank = rank_of_value(column, *field, rank_of(field->read(value), *field));
    if (rank != 0) wanted.push_back(rank);
  }
  if (wanted.empty()) return rows;
  std::ranges::sort(wanted);
  const auto codes = codes_[column].span();
  for (std::uint32_t row = 0; row < codes.size(); ++row) {
    const std::uint32_t rank = kept[codes[row]];
    if (rank >= wanted.front() && std::ranges::binary_search(wanted, rank)) rows.push_back(row);
  }
  return rows;
}

std::uint32_t RowTable::rank_of_value(std::size_t column,
                                      const Field& field,
                                      const Rank& wanted) const {
  const std::lock_guard guard(kept_mutex_);
  return ranks_[column].find(*this, field, wanted);
}

std::vector<std::uint32_t> RowTable::rows_naming(std::size_t column,
                                                 const std::string& row_id) const {
  const Column& relation = folder_->schema().columns[column];
  const auto naming = [&] {
    {
      const std::lock_guard guard(kept_mutex_);
      if (relations_.empty()) relations_.resize(codes_.size());
      if (relations_[column].is_nearly_of(*this, column))
        return relations_[column].codes_naming(*this, relation, column, row_id);
    }
    // As with ranks: nobody waits while many values are read.
    RelationCache made;
    auto codes = made.codes_naming(*this, relation, column, row_id);
    const std::lock_guard guard(kept_mutex_);
    if (!relations_[column].is_nearly_of(*this, column)) relations_[column] = std::move(made);
    return codes;
  };
  std::vector<std::uint32_t> rows;
  const auto wanted = naming();
  if (wanted.empty()) return rows;
  std::vector<bool> names(value_count(column) + std::size_t{1});
  for (const std::uint32_t code : wanted)
    names[code] = true;
  const auto codes = codes_[column].span();
  for (std::uint32_t row = 0; row < codes.size(); ++row) {
    if (names[codes[row]]) rows.push_back(row);
  }
  return rows;
}

std::span<const std::uint32_t> RowTable::counts(std::size_t column) const {
  if (!is_own_) return {};
  const std::lock_guard guard(kept_mutex_);
  return counts_.of(*this, column);
}

Result<Matches> RowTable::answer(const Query& query) const {
  return is_own_ ? matches_.answer(*this, query) : run_query(*this, query);
}

void RowTable::forget_kept_rows() {
  counts_.forget();
  matches_.forget();
}

std::vector<std::uint32_t> RowTable::codes_of(std::span<const std::uint32_t> rows) const {
  std::vector<std::uint32_t> codes;
  codes.reserve(rows.size() * codes_.size());
  for (const std::uint32_t row : rows) {
    for (const auto& column : codes_)
      codes.push_back(column[row]);
  }
  return codes;
}

// A row leaves what is kept from where its codes before had put it, so these are back for a moment.
void RowTable::follow(std::span<const std::uint32_t> rows, std::vector<std::uint32_t> before) {
  const std::size_t columns = codes_.size();
  const auto swap_codes = [&] {
    for (std::size_t i = 0; i < before.size(); ++i)
      std::swap(codes_[i % columns][rows[i / columns]], before[i]);
  };
  const std::vector<std::uint32_t> now = codes_of(rows);
  std::vector<std::uint32_t> changed;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(i * columns);
    const auto end = begin + static_cast<std::ptrdiff_t>(columns);
    if (!std::equal(before.begin() + begin, before.begin() + end, now.begin() + begin))
      changed.push_back(rows[i]);
  }
  if (changed.empty()) return;
  swap_codes();
  counts_.take_out(*this, changed);
  matches_.take_out(*this, changed);
  swap_codes();
  counts_.put_in(*this, changed);
  matches_.put_in(*this, changed);
}

std::optional<std::uint32_t> RowTable::find_one_name(std::string_view id) const {
  if (const auto row = find(id)) return row;
  const auto look = [&]() -> std::optional<std::uint32_t> {
    const FoldedId wanted(id);
    for (std::uint32_t row = 0; row < row_count(); ++row)
      if (wanted.is_one_name_with(row_id(row))) return row;
    return std::nullopt;
  };
  const std::lock_guard guard(kept_mutex_);
  // A table that answers once is asked for a few names, if any.
  constexpr int few_lookups = 4;
  if (!names_ && !is_own_ && name_lookups_++ < few_lookups) return look();
  if (!names_) {
    names_.emplace(row_count());
    for (std::uint32_t row = 0; row < row_count(); ++row)
      names_->add(row_id(row));
  }
  return names_->may_have(id) ? look() : std::nullopt;
}

std::string RowTable::common_ending() const {
  const std::lock_guard guard(kept_mutex_);
  if (endings_.empty()) {
    for (std::uint32_t row = 0; row < row_count(); ++row) {
      const std::string_view ending = ending_of(relative_path(row));
      const auto known = endings_.find(ending);
      if (known == endings_.end()) {
        endings_.emplace(ending, 1);
      } else {
        ++known->second;
      }
    }
  }
  std::string common;
  for (const auto& [ending, count] : endings_) {
    if (count == 0) continue;
    if (!common.empty()) return {};
    common = ending;
  }
  return common;
}

// Formula columns: filled when a question needs them, in step with the rows from then on.

void RowTable::renumber() {
  numbering_ = next_number();
}

// Worked out beside all locks, since nobody waits for what takes long; of two that
// do it at once the first counts.
void RowTable::fill_formulas(std::vector<const FormulaColumn*> formulas,
                             expression::Date now) const {
  std::erase_if(formulas, [&](const FormulaColumn* one) { return is_filled(one->column); });
  if (formulas.empty()) return;
  std::vector<std::unique_ptr<FilledColumn>> made;
  for (std::size_t i = 0; i < formulas.size(); ++i) {
    made.push_back(std::make_unique<FilledColumn>());
    made[i]->now = now;
    made[i]->day = day_of(now);
    made[i]->number = next_number();
    Budget::take(row_count() * sizeof(std::uint32_t));
    made[i]->codes.resize(row_count());
  }
  const expression::Environment environment = folder_->formulas().environment(now);
  std::uint32_t looks = 0;
  for (std::uint32_t row = 0; row < row_count(); ++row) {
    Budget::look_rarely(looks);
    const TableRow of_row(*this, row, facts_[row].key);
    auto computed = folder_->formulas().compute(formulas, of_row, environment);
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i]->codes[row] = made[i]->values.code_of(std::move(computed[i]));
  }
  const std::lock_guard guard(kept_mutex_);
  for (std::size_t i = 0; i < made.size(); ++i) {
    FormulaSlot& slot = slots_[formulas[i]->column];
    if (slot.owned) continue;
    slot.owned = std::move(made[i]);
    slot.filled.store(slot.owned.get(), std::memory_order_release);
  }
}

bool RowTable::keeps_day(expression::Date now) const {
  return std::ranges::all_of(folder_->formulas().all(), [&](const FormulaColumn& formula) {
    const FilledColumn* filled = find_filled(formula.column);
    return formula.hold != FormulaHold::day || filled == nullptr || filled->day == day_of(now);
  });
}

void RowTable::forget_days(expression::Date now) {
  for (const FormulaColumn& formula : folder_->formulas().all()) {
    const FilledColumn* filled = find_filled(formula.column);
    if (formula.hold != FormulaHold::day || filled == nullptr || filled->day == day_of(now))
      continue;
    forget_formula(formula.column);
    forget_kept_rows();
  }
}

// What was worked out while questions read the table becomes a column like the others.
void RowTable::settle_formulas() {
  for (std::size_t column = 0; column < slots_.size(); ++column) {
    FilledColumn* filled = slots_[column].owned.get();
    if (filled == nullptr || filled->codes.empty()) continue;
    codes_[column] = {};
    codes_[column].append(filled->codes);
    filled->codes = {};
  }
}

void RowTable::forget_formula(std::size_t column) {
  slots_[column].filled = nullptr;
  slots_[column].owned.reset();
  codes_[column] = {};
  codes_[column].append(std::vector<std::uint32_t>(row_count()));
  if (!ranks_.empty()) ranks_[column] = {};
}

// For rows that were read again, of columns that were filled at one time. False where that takes
// too long.
bool RowTable::compute_formulas(std::span<const FormulaColumn* const> formulas,
                                const std::vector<std::uint32_t>& rows) {
  const expression::Environment environment =
      folder_->formulas().environment(slots_[formulas[0]->column].owned->now);
  try {
    const Budget budget({.time = formula_patience});
    for (const std::uint32_t row : rows) {
      Budget::look();
      if (facts_[row].state != RowFacts::State::row) continue;
      const TableRow of_row(*this, row, facts_[row].key);
      auto computed = folder_->formulas().compute(formulas, of_row, environment);
      for (std::size_t i = 0; i < formulas.size(); ++i) {
        const std::size_t column = formulas[i]->column;
        codes_[column][row] = slots_[column].owned->values.code_of(std::move(computed[i]));
      }
    }
  } catch (const BudgetSpent&) {
    return false;
  }
  return true;
}

// The formulas of rows that were read again. False where columns are forgotten instead: of many
// rows, or where it takes too long, they are worked out by the next question that needs them.
bool RowTable::follow_formulas(const std::vector<std::uint32_t>& rows) {
  if (rows.empty()) return true;
  // What holds for a day was filled at a time of that day.
  std::map<std::int64_t, std::vector<const FormulaColumn*>> filled_at;
  bool all_hold = true;
  const auto forget = [&](const FormulaColumn& formula) {
    forget_formula(formula.column);
    all_hold = false;
  };
  for (const FormulaColumn& formula : folder_->formulas().all()) {
    const FilledColumn* filled = slots_[formula.column].owned.get();
    if (filled == nullptr) continue;
    const bool is_worn = filled->values.size() > row_count() + std::size_t{few_rows_followed};
    if (is_worn || rows.size() > few_rows_followed)
      forget(formula);
    else
      filled_at[formula.hold == FormulaHold::day ? filled->day : 0].push_back(&formula);
  }
  for (const auto& [day, formulas] : filled_at)
    if (!compute_formulas(formulas, rows))
      std::ranges::for_each(formulas, [&](auto* one) { forget(*one); });
  return all_hold;
}

std::uint64_t RowTable::numbering(std::size_t column) const {
  if (!is_formula(column)) return numbering_;
  const FilledColumn* filled = find_filled(column);
  return filled == nullptr ? 0 : std::max(numbering_, filled->number);
}

}  // namespace notesdb
