#include "database/relation_targets.h"

namespace notesdb {
namespace {

constexpr std::size_t single_lookups = 8;

}  // namespace

RelationTargets::Target& RelationTargets::target(const std::string& database_id) {
  const auto found = targets_.find(database_id);
  if (found != targets_.end()) return found->second;
  Target target;
  if (auto folder = DatabaseFolder::read(files_, database_id)) target.folder = std::move(*folder);
  return targets_.emplace(database_id, std::move(target)).first->second;
}

bool RelationTargets::has(const std::string& database_id, const std::string& row_id) {
  Target& found = target(database_id);
  if (!found.folder) return false;
  if (!found.listed && ++found.asked <= single_lookups) {
    const auto path = found.folder->find_row(files_, row_id);
    return path && path->has_value();
  }
  if (!found.listed) {
    found.listed = true;
    if (const auto listing = found.folder->list_rows(files_)) {
      for (const std::string& path : listing->paths) {
        found.ids.emplace(found.folder->names().id_of(path));
      }
    }
  }
  return found.ids.contains(row_id);
}

}  // namespace notesdb
