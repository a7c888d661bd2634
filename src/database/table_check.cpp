#include "database/table_check.h"

#include <algorithm>

#include "query/comparison.h"
#include "query/field.h"

namespace notesdb {
namespace {

std::optional<Value> value_of(const RowTable& table, std::size_t column, std::uint32_t code) {
  if (code == 0) return std::nullopt;
  return table.value(column, code);
}

// The first row but `own_id` whose value in a column is the same, as filters compare.
std::optional<std::uint32_t> row_with_value(const RowTable& table,
                                            std::size_t column,
                                            const Value& value,
                                            std::string_view own_id) {
  const std::vector<bool> same = table.codes_like(column, value);
  const auto codes = table.codes(column);
  for (std::uint32_t row = 0; row < table.row_count(); ++row) {
    if (same[codes[row]] && table.row_id(row) != own_id) return row;
  }
  return std::nullopt;
}

}  // namespace

TableCheck::TableCheck(const RowTable& table, const Schema& schema, const RowExists& exists)
    : table_(table), schema_(schema), columns_(schema.columns.size()) {
  const FieldRules rules(schema);
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    judge_values(column, rules, exists);
    const Column& declared = schema.columns[column];
    if (declared.unique && !declared.is_computed()) find_repeated(column);
  }
  for (std::uint32_t row = 0; row < table.row_count(); ++row)
    count_ += table.facts(row).broken;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const ColumnCheck& check = columns_[column];
    count_ += static_cast<std::int64_t>(check.repeated.size());
    if (check.is_clean) continue;
    for (const std::uint32_t code : table.codes(column)) {
      count_ += static_cast<std::int64_t>(check.by_code[code].size()) + (check.unfit[code] ? 1 : 0);
    }
  }
}

void TableCheck::judge_values(std::size_t index, const FieldRules& rules, const RowExists& exists) {
  const Column& column = schema_.columns[index];
  ColumnCheck& check = columns_[index];
  const std::uint32_t count = table_.value_count(index);
  check.by_code.resize(count + 1);
  check.unfit.resize(count + 1);
  if (column.is_computed()) return;
  std::vector<bool> used(count + 1);
  for (const std::uint32_t code : table_.codes(index))
    used[code] = true;
  for (std::uint32_t code = 0; code <= count; ++code) {
    if (!used[code]) continue;
    check.unfit[code] = code != 0 && !table_.fits(index, code);
    if (check.unfit[code]) {
      check.is_clean = false;
      continue;
    }
    const auto value = value_of(table_, index, code);
    check.by_code[code] = rules.check(index, value);
    if (column.type == ColumnType::relation && value) {
      for (Violation& violation : check_relation(column, *value, exists)) {
        check.by_code[code].push_back(std::move(violation));
      }
    }
    if (!check.by_code[code].empty()) check.is_clean = false;
  }
}

// Two spellings of one value have two codes, so values are compared, not codes.
void TableCheck::find_repeated(std::size_t index) {
  const Column& column = schema_.columns[index];
  const auto field = bind_field(column.id, schema_);
  if (!field) return;
  const FieldValues values(table_, *field);
  std::vector<std::pair<Rank, std::uint32_t>> ranked;
  for (std::uint32_t code = 1; code <= table_.value_count(index); ++code) {
    const Value value = values.of_code(code);
    if (!is_empty(value)) ranked.emplace_back(rank_of(value, *field), code);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::uint32_t> groups(table_.value_count(index) + 1);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const bool same = i > 0 && ranked[i].first == ranked[i - 1].first;
    groups[ranked[i].second] = same ? groups[ranked[i - 1].second] : ranked[i].second;
  }
  std::vector<std::uint32_t> first(groups.size(), table_.row_count());
  const auto codes = table_.codes(index);
  for (std::uint32_t row = 0; row < table_.row_count(); ++row) {
    const std::uint32_t group = groups[codes[row]];
    if (group == 0) continue;
    if (first[group] == table_.row_count()) {
      first[group] = row;
      continue;
    }
    const std::string other(table_.row_id(first[group]));
    columns_[index].repeated.emplace(
        row,
        Violation{column.id,
                  "unique",
                  column.id + " is " + to_display(table_.value(index, codes[row])) +
                      ", which the row '" + other + "' has already"});
  }
}

std::vector<std::uint32_t> TableCheck::rows() const {
  std::vector<bool> wrong(table_.row_count());
  for (std::uint32_t row = 0; row < table_.row_count(); ++row) {
    wrong[row] = table_.facts(row).broken > 0;
  }
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const ColumnCheck& check = columns_[column];
    for (const auto& [row, violation] : check.repeated)
      wrong[row] = true;
    if (check.is_clean) continue;
    const auto codes = table_.codes(column);
    for (std::uint32_t row = 0; row < table_.row_count(); ++row) {
      if (check.unfit[codes[row]] || !check.by_code[codes[row]].empty()) wrong[row] = true;
    }
  }
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < table_.row_count(); ++row) {
    if (wrong[row]) rows.push_back(row);
  }
  return rows;
}

std::vector<Violation> TableCheck::violations(std::uint32_t row) const {
  std::vector<Violation> all;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const ColumnCheck& check = columns_[column];
    if (schema_.columns[column].is_computed()) continue;
    const auto& of_value = check.by_code[table_.codes(column)[row]];
    all.insert(all.end(), of_value.begin(), of_value.end());
    const auto repeated = check.repeated.find(row);
    if (repeated != check.repeated.end()) all.push_back(repeated->second);
  }
  return all;
}

std::vector<std::uint32_t> TableCheck::broken_and_incomplete() const {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < table_.row_count(); ++row) {
    if (table_.facts(row).broken == 0) continue;
    const auto lacks = [&](std::size_t column) {
      return table_.codes(column)[row] == 0 && !columns_[column].by_code[0].empty();
    };
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      if (!lacks(column)) continue;
      rows.push_back(row);
      break;
    }
  }
  return rows;
}

bool follows_from(const Violation& violation, const std::vector<Issue>& issues) {
  return violation.rule == "required" &&
         std::any_of(issues.begin(), issues.end(), [&](const Issue& issue) {
           return issue.field == violation.field;
         });
}

std::vector<Violation> find_repeated(const RowTable& table,
                                     const Schema& schema,
                                     const Map& fields,
                                     std::string_view row_id) {
  std::vector<Violation> violations;
  for (const Member& field : fields) {
    const auto column = schema.index_of(field.key);
    if (!column || !schema.columns[*column].unique || is_empty(field.value)) continue;
    const auto other = row_with_value(table, *column, field.value, row_id);
    if (!other) continue;
    violations.push_back({field.key,
                          "unique",
                          field.key + " is " + to_display(field.value) + ", which the row '" +
                              std::string(table.row_id(*other)) + "' has already"});
  }
  return violations;
}

}  // namespace notesdb
