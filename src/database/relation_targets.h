// RelationTargets: whether the rows that relations name exist, for one question. A link may name a
// row as a link in a text does, whatever its folder (note/link_names.h).
//
// The first few are looked up one by one; after that the names of the whole target are read once.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "files/file_system.h"
#include "index/database_folder.h"
#include "note/link_names.h"

namespace notesdb {

class RelationTargets {
 public:
  explicit RelationTargets(const FileSystem& files) : files_(files) {}

  // A row id, or a link. A target that is not a database, or cannot be read, has no rows.
  bool has(const std::string& database_id, const std::string& row_id);
  // The row that a link means; none where it means none.
  std::optional<std::string> row_meant(const std::string& database_id, const std::string& link);

 private:
  struct Target {
    std::shared_ptr<const DatabaseFolder> folder;
    std::size_t asked = 0;
    std::optional<std::unordered_set<std::string>> ids;  // of all rows, once they are listed
    std::optional<LinkNames> names;                      // once a link is asked for
  };
  Target& target(const std::string& database_id);
  template <typename Take>
  void each_row(const Target& target, const Take& take) const;
  const std::unordered_set<std::string>& ids_of(Target& target) const;
  const LinkNames& names_of(Target& target) const;

  const FileSystem& files_;
  std::map<std::string, Target> targets_;
};

}  // namespace notesdb
