// Formula columns of a RowTable: filled when a question needs them, in step with the rows from then
// on.
#include <algorithm>

#include "core/budget.h"
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

void RowTable::renumber() {
  numbering_ = next_number();
}

// Worked out beside all locks, since nobody waits for what takes long; of two that
// do it at once the first counts.
void RowTable::fill_formula(const FormulaColumn& formula, expression::Date now) const {
  if (find_filled(formula.column) != nullptr) return;
  auto made = std::make_unique<FilledColumn>();
  made->now = now;
  made->day = day_of(now);
  made->number = next_number();
  const FormulaColumns& formulas = folder_->formulas();
  const expression::Environment environment = formulas.environment(now);
  Budget::take(row_count() * sizeof(std::uint32_t));
  made->codes.resize(row_count());
  std::uint32_t looks = 0;
  for (std::uint32_t row = 0; row < row_count(); ++row) {
    Budget::look_rarely(looks);
    const TableRow of_row(*this, row, facts_[row].key);
    const std::uint32_t before = made->values.size();
    made->codes[row] = made->values.code_of(formulas.compute(formula, of_row, environment));
    if (made->values.size() > before) Budget::take(sizeof(FormulaColumns::Computed));
  }
  const std::lock_guard guard(kept_mutex_);
  FormulaSlot& slot = slots_[formula.column];
  if (slot.owned) return;
  slot.owned = std::move(made);
  slot.filled.store(slot.owned.get(), std::memory_order_release);
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

bool RowTable::follow_formula(std::size_t column,
                              FilledColumn& filled,
                              const std::vector<std::uint32_t>& rows) {
  const FormulaColumns& formulas = folder_->formulas();
  const FormulaColumn& formula = *formulas.find(column);
  const expression::Environment environment = formulas.environment(filled.now);
  try {
    const Budget budget({.time = formula_patience});
    for (const std::uint32_t row : rows) {
      Budget::look();
      if (facts_[row].state != RowFacts::State::row) continue;
      const TableRow of_row(*this, row, facts_[row].key);
      codes_[column][row] = filled.values.code_of(formulas.compute(formula, of_row, environment));
    }
  } catch (const BudgetSpent&) {
    return false;
  }
  return true;
}

// The formulas of rows that were read again. False where a column is forgotten instead: of many
// rows, or where one takes too long, it is worked out by the next question that needs it.
bool RowTable::follow_formulas(const std::vector<std::uint32_t>& rows) {
  bool all_hold = true;
  for (std::size_t column = 0; column < slots_.size(); ++column) {
    FilledColumn* filled = slots_[column].owned.get();
    if (filled == nullptr || rows.empty()) continue;
    const bool is_worn = filled->values.size() > row_count() + std::size_t{few_rows_followed};
    if (!is_worn && rows.size() <= few_rows_followed && follow_formula(column, *filled, rows))
      continue;
    forget_formula(column);
    all_hold = false;
  }
  return all_hold;
}

std::uint64_t RowTable::numbering(std::size_t column) const {
  if (!is_formula(column)) return numbering_;
  const FilledColumn* filled = find_filled(column);
  return filled == nullptr ? 0 : std::max(numbering_, filled->number);
}

}  // namespace notesdb
