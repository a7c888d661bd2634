#include "index/relation_cache.h"

#include <algorithm>

#include "core/link.h"

namespace notesdb {

std::vector<std::string> related_rows(const Column& column, const Value& value) {
  std::vector<std::string> ids;
  const auto add = [&](const Value& item) {
    if (item.is_text() && !item.text().empty()) {
      ids.push_back(row_named_by(item.text(), column.target));
    }
  };
  if (value.is_list()) {
    std::for_each(value.list().begin(), value.list().end(), add);
  } else {
    add(value);
  }
  return ids;
}

bool RelationCache::is_nearly_of(const Table& table, std::size_t column) const {
  constexpr std::uint32_t few_values = 256;
  return table.value_count(column) - known_ <= few_values;
}

std::vector<std::uint32_t> RelationCache::codes_naming(const Table& table,
                                                       const Column& relation,
                                                       std::size_t column,
                                                       const std::string& row_id) {
  take_new(table, relation, column);
  const auto found = codes_.find(row_id);
  return found == codes_.end() ? std::vector<std::uint32_t>() : found->second;
}

// Codes are only ever added, so each is read once.
void RelationCache::take_new(const Table& table, const Column& relation, std::size_t column) {
  while (known_ < table.value_count(column)) {
    ++known_;
    for (const std::string& id : related_rows(relation, table.value(column, known_)))
      codes_[id].push_back(known_);
  }
}

}  // namespace notesdb
