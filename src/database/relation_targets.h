// RelationTargets: whether the rows that relations name exist, for one question. A link may name a
// row as a link in a text does, whatever its folder (note/link_names.h).
//
// Rows are looked up one by one as long as that costs less than a listing of the whole target, which
// grows with it; then its names are read once.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "files/file_system.h"
#include "index/database_folder.h"
#include "index/row_table.h"
#include "note/link_names.h"

namespace notesdb {

class RelationTargets {
 public:
  explicit RelationTargets(const FileSystem& files) : files_(files) {}

  // The rows of a database that was read already, which is not listed for this then.
  void add(std::shared_ptr<const DatabaseFolder> folder, const RowTable& rows);

  // A row id, or a link. A target that is not a database, or cannot be read, has no rows.
  bool has(const std::string& database_id, const std::string& row_id);
  // The row that a link means; none where it means none.
  std::optional<std::string> row_meant(const std::string& database_id, const std::string& link);

 private:
  struct Target {
    std::shared_ptr<const DatabaseFolder> folder;
    std::size_t lookups = 0;                             // that are left
    std::optional<std::unordered_set<std::string>> ids;  // of all rows, once they are listed
    std::optional<LinkNames> names;                      // once a link is asked for
  };
  Target& target(const std::string& database_id);
  template <typename Take>
  void each_row(const Target& target, const Take& take) const;
  const std::unordered_set<std::string>& ids_of(Target& target) const;
  const LinkNames& names_of(Target& target) const;
  // Of an id. Without a listing it may say no where no look-ups are left.
  bool is_there(Target& target, const std::string& row_id) const;

  const FileSystem& files_;
  std::map<std::string, Target> targets_;
};

}  // namespace notesdb
