// NewIds: the ids that the rows of one database have, and those that new rows take, each taken by
// the time the next is asked for.
//
// An id that would be the same file as another on a system that folds names is taken too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/result.h"
#include "database/row_id.h"

namespace notesdb {

class NewIds : private KnownIds {
 public:
  // `folder` is where new rows lie: "" or "entries/". The schema must outlive it.
  NewIds(const Schema& schema, std::string folder, std::vector<std::string> ids);

  // `wanted`, or where that is empty an id as the schema's row_id makes it of `source`. Fails with
  // path_not_allowed for what may be no id and already_exists for one that is taken.
  Result<std::string> take(const std::string& wanted, std::string_view source);
  // Of a row that is removed or renamed: another may take it.
  void release(const std::string& id);

  // The highest number that a new counter id has; none where there is no such id.
  std::optional<std::int64_t> highest_new() const { return highest_new_; }

 private:
  std::int64_t highest_counter(std::string_view prefix) const override;
  bool has(const std::string& id) const override { return find(id) != nullptr; }
  // The id that is, or would be, one file with this one; null if there is none.
  const std::string* find(const std::string& id) const;

  const Schema& schema_;
  std::string folder_;
  mutable std::vector<std::string> unsorted_;  // until many are looked for
  mutable int lookups_ = 0;
  mutable std::unordered_map<std::string, std::string> by_folded_;
  mutable std::optional<std::int64_t> counter_;  // so that nobody looks at all ids again
  std::optional<std::int64_t> highest_new_;
};

}  // namespace notesdb
