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

template <typename Take>
void RelationTargets::each_row(const Target& target, const Take& take) const {
  const auto listing = target.folder->list_rows(files_);
  if (!listing) return;
  for (const std::string& path : listing->paths)
    take(path);
}

const std::unordered_set<std::string>& RelationTargets::ids_of(Target& target) const {
  if (target.ids) return *target.ids;
  target.ids.emplace();
  each_row(target, [&](const std::string& path) {
    target.ids->emplace(std::string_view(target.folder->names().id_of(path)));
  });
  return *target.ids;
}

const LinkNames& RelationTargets::names_of(Target& target) const {
  if (target.names) return *target.names;
  target.names.emplace();
  each_row(target, [&](const std::string& path) {
    target.names->add(target.folder->full_path(path), target.folder->id());
  });
  return *target.names;
}

std::optional<std::string> RelationTargets::row_meant(const std::string& database_id,
                                                      const std::string& link) {
  Target& found = target(database_id);
  BodyLink parts;
  if (!found.folder || !scan_whole_link(link, parts)) return std::nullopt;
  const LinkNames& names = names_of(found);
  const auto meaning = names.resolve(path_meant(parts), parts.form, "", database_id);
  if (!meaning.is_found()) return std::nullopt;
  const DatabaseFolder& folder = *found.folder;
  std::string_view path = names.path(meaning.file);
  if (folder.id() != ".") path.remove_prefix(folder.id().size() + 1);
  return std::string(folder.names().id_of(path));
}

bool RelationTargets::has(const std::string& database_id, const std::string& row_id) {
  Target& found = target(database_id);
  if (!found.folder) return false;
  if (row_id.starts_with('[')) return row_meant(database_id, row_id).has_value();
  if (!found.ids && ++found.asked <= single_lookups) {
    const auto path = found.folder->find_row(files_, row_id);
    return path && path->has_value();
  }
  return ids_of(found).contains(row_id);
}

}  // namespace notesdb
