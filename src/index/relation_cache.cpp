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

std::vector<std::uint32_t> RelationCache::rows_naming(const Table& table,
                                                      const Column& relation,
                                                      std::size_t column,
                                                      const std::string& row_id) {
  take_new(table, relation, column);
  std::vector<std::uint32_t> rows;
  const auto found = codes_.find(row_id);
  if (found == codes_.end()) return rows;
  std::vector<bool> names(table.value_count(column) + std::size_t{1});
  for (const std::uint32_t code : found->second)
    names[code] = true;
  const auto codes = table.codes(column);
  for (std::uint32_t row = 0; row < codes.size(); ++row) {
    if (names[codes[row]]) rows.push_back(row);
  }
  return rows;
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
