#include "database/formula_table.h"

#include <algorithm>
#include <ranges>

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

std::vector<FormulaColumns::Computed> FormulaFiles::compute(
    const FormulaColumns& formulas,
    std::span<const FormulaColumn* const> columns,
    const FormulaRow& row,
    expression::Environment environment) {
  const bool read_files =
      std::ranges::any_of(columns, [](const FormulaColumn* one) { return one->reads_files; });
  if (!read_files) return formulas.compute(columns, row, environment);
  if (!vault_) vault_.emplace(files_, Bodies::read, *environment.zone);
  environment.vault = &*vault_;
  return formulas.compute(columns, VaultRow(row, *vault_), environment);
}

FormulaTable::Formulas FormulaTable::formulas_in(std::span<const std::size_t> columns) const {
  std::vector<std::size_t> places(columns.begin(), columns.end());
  std::ranges::sort(places);
  const auto repeated = std::ranges::unique(places);
  places.erase(repeated.begin(), repeated.end());
  Formulas formulas;
  for (const std::size_t column : places)
    if (const FormulaColumn* formula = folder_.formulas().find(column)) formulas.push_back(formula);
  return formulas;
}

FormulaTable::Formulas FormulaTable::fill_kept(Formulas formulas) const {
  const auto kept = std::ranges::stable_partition(formulas, [](const FormulaColumn* formula) {
    return formula->hold == FormulaHold::question;
  });
  rows_.fill_formulas({kept.begin(), kept.end()}, now_);
  formulas.erase(kept.begin(), kept.end());
  return formulas;
}

void FormulaTable::fill(std::span<const std::size_t> columns) {
  compute(fill_kept(formulas_in(columns)), std::views::iota(0U, row_count()));
}

void FormulaTable::fill(const std::vector<std::string>& ids) {
  std::vector<std::size_t> columns;
  for (const std::string& id : ids)
    if (const auto place = folder_.schema().index_of(id)) columns.push_back(*place);
  fill(columns);
}

void FormulaTable::fill_for(std::span<const std::size_t> columns,
                            std::span<const std::uint32_t> rows) {
  Formulas formulas = formulas_in(columns);
  std::erase_if(formulas, [&](const FormulaColumn* one) { return rows_.is_filled(one->column); });
  const bool are_most = rows.size() > row_count() / 2;
  compute(are_most ? fill_kept(std::move(formulas)) : std::move(formulas), rows);
}

template <typename Rows>
void FormulaTable::compute(Formulas formulas, const Rows& rows) {
  std::erase_if(formulas, [&](const FormulaColumn* one) { return find(one->column) != nullptr; });
  if (formulas.empty()) return;
  std::vector<Computed*> filled;
  for (const FormulaColumn* formula : formulas) {
    Budget::take(row_count() * sizeof(std::uint32_t));
    filled.push_back(&computed_[formula->column]);
    filled.back()->codes.resize(row_count());
  }
  expression::Environment environment = folder_.formulas().environment(now_);
  std::uint32_t looks = 0;
  for (const std::uint32_t row : rows) {
    Budget::look_rarely(looks);
    const TableRow of_row(values_, row, rows_.facts(row).key);
    environment.seed = static_cast<std::uint64_t>(now_.milliseconds) + row;
    auto values = files_.compute(folder_.formulas(), formulas, of_row, environment);
    for (std::size_t i = 0; i < filled.size(); ++i)
      filled[i]->codes[row] = filled[i]->values.code_of(std::move(values[i]));
  }
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
