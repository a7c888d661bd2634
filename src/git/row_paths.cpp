#include "git/row_paths.h"

#include "files/names.h"

namespace notesdb {

std::shared_ptr<const DatabaseFolder> RowPaths::database(std::string_view folder) {
  if (auto found = known_.find(folder); found != known_.end()) return found->second;
  std::shared_ptr<const DatabaseFolder> database;
  if (DatabaseFolder::find_schema_file(files_, folder)) {
    if (auto read = DatabaseFolder::read(files_, std::string(folder))) database = *read;
  }
  known_.emplace(std::string(folder), database);
  return database;
}

std::optional<RowPath> RowPaths::find(std::string_view path) {
  for (std::string_view folder = folder_of(path);; folder = folder_of(folder)) {
    if (std::shared_ptr<const DatabaseFolder> database = this->database(folder)) {
      std::string_view below = folder == "." ? path : path.substr(folder.size() + 1);
      if (database->names().role_of(below) != FileRole::row) return std::nullopt;
      return RowPath{std::string(folder), std::string(database->names().id_of(below)), database};
    }
    if (folder == ".") return std::nullopt;
  }
}

}  // namespace notesdb
