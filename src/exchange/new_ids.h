// NewIds: the ids of many new rows of one database, each taken by the time the next is asked for.
//
// An id that would be the same file as another on a system that folds names is taken too.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "database/row_id.h"
#include "index/database_folder.h"

namespace notesdb {

class NewIds : private KnownIds {
 public:
  NewIds(const DatabaseFolder& folder, const RowListing& listing);

  // `wanted`, or where that is empty an id as the schema's row_id makes it of `source`. Fails with
  // path_not_allowed for what may be no id and already_exists for one that is taken.
  Result<std::string> take(const std::string& wanted, std::string_view source);

  // The highest number that a new counter id has; none where there is no such id.
  std::optional<std::int64_t> highest_counter() const { return highest_new_; }

 private:
  std::int64_t highest_counter(std::string_view /*prefix*/) const override { return counter_; }
  bool has(const std::string& id) const override;

  const Schema& schema_;
  std::string folder_of_new_;
  std::map<std::string, std::string> by_folded_;
  std::int64_t counter_ = 0;  // so that nobody looks at all ids again
  std::optional<std::int64_t> highest_new_;
};

}  // namespace notesdb
