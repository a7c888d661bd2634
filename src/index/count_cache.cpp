#include "index/count_cache.h"

namespace notesdb {

std::span<const std::uint32_t> CountCache::of(const Table& table, std::size_t column) {
  std::vector<std::uint32_t>& counts = counts_[column];
  const bool is_new = counts.empty();
  counts.resize(table.value_count(column) + std::size_t{1});
  if (is_new) {
    for (const std::uint32_t code : table.codes(column))
      ++counts[code];
  }
  return counts;
}

void CountCache::take_out(const Table& table, std::span<const std::uint32_t> rows) {
  for (auto& [column, counts] : counts_) {
    const auto codes = table.codes(column);
    for (const std::uint32_t row : rows)
      --counts[codes[row]];
  }
}

void CountCache::put_in(const Table& table, std::span<const std::uint32_t> rows) {
  for (auto& [column, counts] : counts_) {
    counts.resize(table.value_count(column) + std::size_t{1});
    const auto codes = table.codes(column);
    for (const std::uint32_t row : rows)
      ++counts[codes[row]];
  }
}

std::size_t CountCache::memory() const {
  std::size_t bytes = 0;
  for (const auto& [column, counts] : counts_)
    bytes += counts.capacity() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace notesdb
