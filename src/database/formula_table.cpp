#include "database/formula_table.h"

#include <algorithm>

#include "core/budget.h"

namespace notesdb {

namespace {

// A row whose file is asked for what stands in it, and for its links.
class VaultRow : public FormulaRow {
 public:
  VaultRow(const FormulaRow& row, const Vault& vault) : row_(row), vault_(vault) {}
  Value field(std::size_t column) const override { return row_.field(column); }
  std::string path() const override { return row_.path(); }
  expression::FilePointer file() const override {
    auto file = vault_.at(row_.path());
    return file ? file : row_.file();
  }

 private:
  const FormulaRow& row_;
  const Vault& vault_;
};

}  // namespace

const Column* column_named(const Schema& schema, std::string_view name) {
  for (;;) {
    if (const Column* column = schema.find(name)) return column;
    const std::size_t end = name.find_last_of(".[:");
    if (end == std::string_view::npos) return nullptr;
    name = name.substr(0, end);
  }
}

FormulaColumns::Computed FormulaFiles::compute(const FormulaColumns& formulas,
                                               const FormulaColumn& formula,
                                               const FormulaRow& row,
                                               expression::Environment environment) {
  if (!formula.reads_files) return formulas.compute(formula, row, environment);
  if (!vault_) vault_.emplace(files_, Bodies::read, *environment.zone);
  environment.vault = &*vault_;
  return formulas.compute(formula, VaultRow(row, *vault_), environment);
}

void FormulaTable::fill(std::size_t column) {
  const FormulaColumn* formula = folder_.formulas().find(column);
  if (formula == nullptr) return;
  if (formula->hold != FormulaHold::question) return rows_.fill_formula(*formula, now_);
  const auto [place, is_new] = computed_.try_emplace(column);
  Computed& computed = place->second;
  if (!is_new) return;
  const auto environment = folder_.formulas().environment(now_);
  Budget::take(row_count() * (sizeof(std::uint32_t) + sizeof(FormulaColumns::Computed)));
  computed.codes.resize(row_count());
  std::uint32_t looks = 0;
  for (std::uint32_t row = 0; row < row_count(); ++row) {
    Budget::look_rarely(looks);
    compute(computed, *formula, environment, row);
  }
}

void FormulaTable::fill(const std::vector<std::string>& ids) {
  for (const std::string& id : ids)
    if (const auto place = folder_.schema().index_of(id)) fill(*place);
}

void FormulaTable::fill_for(std::size_t column, std::span<const std::uint32_t> rows) {
  const FormulaColumn* formula = folder_.formulas().find(column);
  if (formula == nullptr || rows_.is_filled(column)) return;
  const bool are_most = rows.size() > row_count() / 2;
  if (are_most && formula->hold != FormulaHold::question) return fill(column);
  const auto [place, is_new] = computed_.try_emplace(column);
  Computed& computed = place->second;
  if (!is_new) return;
  const auto environment = folder_.formulas().environment(now_);
  computed.codes.resize(row_count());
  std::uint32_t looks = 0;
  for (const std::uint32_t row : rows) {
    Budget::look_rarely(looks);
    compute(computed, *formula, environment, row);
  }
}

void FormulaTable::compute(Computed& computed,
                           const FormulaColumn& formula,
                           const expression::Environment& environment,
                           std::uint32_t row) {
  const TableRow of_row(values_, row, rows_.facts(row).key);
  expression::Environment of_one = environment;
  of_one.seed = static_cast<std::uint64_t>(now_.milliseconds) + row;
  computed.codes[row] =
      computed.values.code_of(files_.compute(folder_.formulas(), formula, of_row, of_one));
}

const FormulaTable::Computed* FormulaTable::find(std::size_t column) const {
  const auto found = computed_.find(column);
  return found == computed_.end() ? nullptr : &found->second;
}

std::span<const std::uint32_t> FormulaTable::codes(std::size_t column) const {
  const Computed* computed = find(column);
  return computed != nullptr ? std::span(computed->codes) : values_.codes(column);
}

std::uint32_t FormulaTable::value_count(std::size_t column) const {
  const Computed* computed = find(column);
  return computed != nullptr ? computed->values.size() : values_.value_count(column);
}

Value FormulaTable::value(std::size_t column, std::uint32_t code) const {
  const Computed* computed = find(column);
  return computed != nullptr ? computed->values.value(code) : values_.value(column, code);
}

bool FormulaTable::fits(std::size_t column, std::uint32_t code) const {
  const Computed* computed = find(column);
  return computed != nullptr ? computed->values.fits(code) : values_.fits(column, code);
}

std::span<const std::uint32_t> FormulaTable::ranks(std::size_t column) const {
  return find(column) != nullptr ? std::span<const std::uint32_t>() : values_.ranks(column);
}

std::span<const std::uint32_t> FormulaTable::counts(std::size_t column) const {
  return find(column) != nullptr ? std::span<const std::uint32_t>() : values_.counts(column);
}

}  // namespace notesdb
