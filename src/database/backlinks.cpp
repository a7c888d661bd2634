#include "database/backlinks.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/text.h"
#include "database/link_cache.h"
#include "database/workspace.h"
#include "files/names.h"
#include "index/row_table.h"

namespace notesdb {
namespace {

void sort_links(std::vector<Backlink>& links) {
  std::sort(links.begin(), links.end(), [](const Backlink& a, const Backlink& b) {
    if (a.database_id.empty() != b.database_id.empty()) return b.database_id.empty();
    if (const int order = compare_natural(a.database_id, b.database_id); order != 0) {
      return order < 0;
    }
    if (const int order = compare_natural(a.row_id, b.row_id); order != 0) return order < 0;
    return std::tie(a.path, a.field, a.target) < std::tie(b.path, b.field, b.target);
  });
}

// The relations of one database that name any of the rows.
void add_relations(const Database& database,
                   std::string_view target,
                   const std::vector<std::string>& row_ids,
                   std::vector<Backlink>& links) {
  const auto folder = database.folder();
  if (!folder) return;
  const auto names_target = [&](const Column& column) {
    return column.type == ColumnType::relation && column.target == target;
  };
  if (std::ranges::none_of((*folder)->schema().columns, names_target)) return;
  (void)database.with_rows([&](const DatabaseFolder& now, const RowTable& rows) {
    const auto& columns = now.schema().columns;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if (!names_target(columns[column])) continue;
      for (const std::string& id : row_ids) {
        for (const std::uint32_t row : rows.rows_naming(column, id)) {
          const std::string from(rows.row_id(row));
          if (database.id() == target && from == id) continue;
          links.push_back({database.id(), from, columns[column].id, rows.path(row), id});
        }
      }
    }
  });
}

}  // namespace

Result<std::vector<Backlink>> find_backlinks(Workspace& workspace,
                                             std::string_view database_id,
                                             std::string_view row_id) {
  return find_backlinks(workspace, database_id, std::vector{std::string(row_id)});
}

Result<std::vector<Backlink>> find_backlinks(Workspace& workspace,
                                             std::string_view database_id,
                                             const std::vector<std::string>& row_ids) {
  const auto database = workspace.get(database_id);
  if (!database) return database.error();
  std::unordered_map<std::string, std::string> rows;  // by path
  std::vector<std::string> paths;
  for (const std::string& id : row_ids) {
    auto path = (*database)->path_of(id);
    if (!path) return path.error();
    rows.emplace(*path, id);
    paths.push_back(*std::move(path));
  }
  std::vector<Backlink> links;
  LinkCache& cache = workspace.link_cache();
  cache.find_links(paths, [&](const LinkCache::Linking& found) {
    const std::string& target = found.names.path(found.meaning.file);
    if (found.path == target) return;
    Backlink link{"", std::string(found.row_id), "_body", to_utf8(found.path), rows.at(target)};
    if (!found.row_id.empty()) link.database_id = found.owner->id();
    if (!found.link.field.empty()) link.field = found.link.field;
    links.push_back(std::move(link));
  });
  const std::vector<std::string> ids = cache.database_ids();
  for (const std::string& id : ids) {
    const auto other = workspace.get(id);
    if (other) add_relations(**other, database_id, row_ids, links);
  }
  sort_links(links);
  // A note counts once for a row in each of its fields, however often it names it.
  links.erase(std::ranges::unique(links).begin(), links.end());
  return links;
}

}  // namespace notesdb
