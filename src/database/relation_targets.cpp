#include "database/relation_targets.h"

#include <utility>

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

void RelationTargets::list(Target& target) const {
  if (std::exchange(target.listed, true)) return;
  const auto listing = target.folder->list_rows(files_);
  if (!listing) return;
  for (const std::string& path : listing->paths) {
    target.ids.emplace(target.folder->names().id_of(path));
    target.names.add(target.folder->full_path(path), target.folder->id());
  }
}

bool RelationTargets::has(const std::string& database_id, const std::string& row_id) {
  Target& found = target(database_id);
  if (!found.folder) return false;
  BodyLink link;
  if (row_id.starts_with('[') && scan_whole_link(row_id, link)) {
    list(found);
    return found.names.resolve(path_meant(link), link.form, "", database_id).is_found();
  }
  if (!found.listed && ++found.asked <= single_lookups) {
    const auto path = found.folder->find_row(files_, row_id);
    return path && path->has_value();
  }
  list(found);
  return found.ids.contains(row_id);
}

}  // namespace notesdb
