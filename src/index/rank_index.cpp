#include "index/rank_index.h"

#include <algorithm>

#include "query/order.h"

namespace notesdb {
namespace {

// More new values than this are cheaper ranked with all others.
constexpr std::size_t few_values = 256;

}  // namespace

bool RankIndex::is_nearly_of(const Table& table, std::size_t column) const {
  const std::size_t wanted = table.value_count(column) + std::size_t{1};
  return !ranks_.empty() && ranks_.size() + few_values >= wanted;
}

std::span<const std::uint32_t> RankIndex::of(const Table& table,
                                             const Schema& schema,
                                             std::size_t column) {
  const std::size_t wanted = table.value_count(column) + std::size_t{1};
  if (ranks_.size() == wanted) return ranks_;
  const auto field = bind_field(schema.columns[column].id, schema);
  if (!field) return {};
  if (!is_nearly_of(table, column)) {
    rank_all(table, schema, column);
    return ranks_;
  }
  while (ranks_.size() < wanted)
    add(table, *field, static_cast<std::uint32_t>(ranks_.size()));
  return ranks_;
}

void RankIndex::rank_all(const Table& table, const Schema& schema, std::size_t column) {
  ranks_ = rank_values(table, schema, column);
  values_.assign(*std::max_element(ranks_.begin(), ranks_.end()), 0);
  for (std::uint32_t code = 1; code < ranks_.size(); ++code) {
    if (ranks_[code] != 0) values_[ranks_[code] - 1] = code;
  }
}

// How many ranks come before the wanted one.
std::uint32_t RankIndex::place_of(const FieldValues& values, const Rank& wanted) const {
  std::uint32_t low = 0;
  auto high = static_cast<std::uint32_t>(values_.size());
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (rank_of(values.of_code(values_[middle]), values.field()) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::uint32_t RankIndex::find(const Table& table, const Field& field, const Rank& wanted) const {
  const FieldValues values(table, field);
  const std::uint32_t place = place_of(values, wanted);
  if (place == values_.size()) return 0;
  return rank_of(values.of_code(values_[place]), field) == wanted ? place + 1 : 0;
}

void RankIndex::add(const Table& table, const Field& field, std::uint32_t code) {
  const FieldValues values(table, field);
  const Rank rank = rank_of(values.of_code(code), field);
  if (rank.kind == Rank::Kind::missing) {
    ranks_.push_back(0);
    return;
  }
  const std::uint32_t place = place_of(values, rank);
  const bool is_known =
      place < values_.size() && rank_of(values.of_code(values_[place]), field) == rank;
  if (!is_known) {
    for (std::uint32_t& other : ranks_)
      other += static_cast<std::uint32_t>(other > place);
    values_.insert(values_.begin() + static_cast<std::ptrdiff_t>(place), code);
  }
  ranks_.push_back(place + 1);
}

}  // namespace notesdb
