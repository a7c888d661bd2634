#include "database/relation_targets.h"

#include <algorithm>
#include <utility>

namespace notesdb {
namespace {

constexpr std::size_t min_lookups = 8;
// A look-up costs as much as seven names of a listing, and a folder has some forty bytes a name.
constexpr std::size_t folder_bytes_per_lookup = 256;

}  // namespace

RelationTargets::Target& RelationTargets::target(const std::string& database_id) {
  const auto found = targets_.find(database_id);
  if (found != targets_.end()) return found->second;
  Target target;
  if (auto folder = DatabaseFolder::read(files_, database_id)) target.folder = std::move(*folder);
  const auto there = files_.stat(database_id);
  const std::uint64_t bytes = there ? there->key.size : 0;
  target.lookups = std::max<std::size_t>(min_lookups, bytes / folder_bytes_per_lookup);
  return targets_.emplace(database_id, std::move(target)).first->second;
}

void RelationTargets::add(std::shared_ptr<const DatabaseFolder> folder, const RowTable& rows) {
  const bool has_relation =
      std::ranges::any_of(folder->schema().columns, [&](const Column& column) {
        return column.type == ColumnType::relation && column.target == folder->id();
      });
  if (!has_relation) return;
  Target& target = targets_[folder->id()];
  target.ids.emplace();
  target.ids->reserve(rows.row_count());
  for (std::uint32_t row = 0; row < rows.row_count(); ++row)
    target.ids->emplace(rows.row_id(row));
  target.folder = std::move(folder);
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
  // Most links say the row's id.
  std::string meant = path_meant(parts);
  if (is_there(found, meant)) return meant;
  const LinkNames& names = names_of(found);
  const auto meaning = names.resolve(meant, parts.form, "", database_id);
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
  if (!found.ids && found.lookups > 0) return is_there(found, row_id);
  return ids_of(found).contains(row_id);
}

bool RelationTargets::is_there(Target& target, const std::string& row_id) const {
  if (target.ids) return target.ids->contains(row_id);
  if (target.lookups == 0) return false;
  --target.lookups;
  const auto path = target.folder->find_row(files_, row_id);
  return path && path->has_value();
}

}  // namespace notesdb
