#include <algorithm>
#include <mutex>
#include <utility>

#include "files/names.h"
#include "index/row_table.h"

namespace notesdb {

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

}  // namespace notesdb
