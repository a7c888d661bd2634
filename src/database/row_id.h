// Row ids as new rows get them: counter, slug, ulid, short, date.
//
//   counter  row-012        one above the highest there is
//   slug     my-first-note  made of a column's text; -2, -3 ... where that is taken
//   ulid     01JD8Q...      26 characters that sort by time
//   short    k3v9x2mq       8 random characters
//   date     2024/05/2024-05-06, 2024-05-06-my-first-note      by a format; a slug behind it
//
// Nothing here looks at the disk: the ids that exist are the caller's to bring, and whether an id
// is still free when the file is made is for the file system to say.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/date.h"
#include "core/error.h"
#include "core/result.h"
#include "core/schema.h"
#include "files/file_system.h"
#include "index/database_folder.h"
#include "index/row_table.h"
#include "schema/document.h"

namespace notesdb {

// The number of a counter id: digits after the prefix and nothing else, 18 at most.
std::optional<std::int64_t> counter_of(std::string_view id, std::string_view prefix);
// "row-" and 12 in 3 digits: "row-012".
std::string counter_id(std::string_view prefix, std::int64_t number, int digits);

// The number of the next counter id where `highest` is the highest in use: one above it, and not
// below the schema's next_row_id, so that the id of a deleted or renamed row, which links elsewhere
// may still name, never comes to mean another row.
std::int64_t next_number(const Schema& schema, std::int64_t highest);

// The ids that a database has.
class KnownIds {
 public:
  KnownIds() = default;
  KnownIds(const KnownIds&) = delete;
  KnownIds& operator=(const KnownIds&) = delete;
  virtual ~KnownIds() = default;

  // The highest number of the counter ids after this prefix; 0 if there is none.
  virtual std::int64_t highest_counter(std::string_view prefix) const = 0;
  // Whether one of them is this one, or would be one file with it on systems that fold names.
  virtual bool has(const std::string& id) const = 0;
};

// What a new id may be made of: the text of a slug, the day of a dated one (none: today).
struct IdSource {
  std::string text{};
  std::optional<Timestamp> date{};
};

// A new id after `folder` ("" or "entries/"), by the schema's row_id. Of a day without a slug there is
// one id, which may be taken.
std::string make_row_id(const Schema& schema,
                        const std::string& folder,
                        const KnownIds& known,
                        const IdSource& source);

// The id that a caller means who gives the day of a dated one: 2024-06-01 for 2024/06/2024-06-01.
std::string row_id_meant(const Schema& schema, const std::string& given);

// The refusal of an id because of the row `by`, which has it or would be one file with it.
Error id_taken(std::string_view row_id, std::string_view by);

// NewIds: the ids that the rows of one database have, and those that new rows take, each taken by
// the time the next is asked for.
//
// An id that would be the same file as another on a system that folds names is taken too.

class NewIds : private KnownIds {
 public:
  // `folder` is where new rows lie: "" or "entries/". The schema must outlive it.
  NewIds(const Schema& schema, std::string folder);
  // The rows that are there, for as long as ids are taken; null: none.
  void look_at(const RowTable* rows);

  // `wanted`, or where that is empty an id as the schema's row_id makes it of `source`. Fails with
  // path_not_allowed for what may be no id and already_exists for one that is taken.
  Result<std::string> take(const std::string& wanted, const IdSource& source);
  // Of a row that is removed or renamed: another may take it.
  void release(const std::string& id);

  // The highest number that a new counter id has; none where there is no such id.
  std::optional<std::int64_t> highest_new() const { return highest_new_; }

 private:
  std::int64_t highest_counter(std::string_view prefix) const override;
  bool has(const std::string& id) const override { return find(id).has_value(); }
  // The id that is, or would be, one file with this one; empty if there is none.
  std::optional<std::string> find(const std::string& id) const;
  std::int64_t highest_in_rows(const std::string& prefix) const;

  const Schema& schema_;
  std::string folder_;
  const RowTable* rows_ = nullptr;
  std::vector<std::string> unreadable_;  // of files that are no rows now
  std::set<std::string> released_;
  std::unordered_map<std::string, std::string> taken_;  // by what folds alike
  mutable std::optional<std::int64_t> counter_;         // so that nobody looks at all ids again
  std::optional<std::int64_t> highest_new_;
};

// next_row_id: what keeps the number of a row that is gone from being given to another.
//
// A new counter id is one above the highest there is. When the row with the highest number is
// deleted or gets another name, nothing among the rows tells that its number was given; elsewhere
// (another clone, a chat) it still means the old row. So the schema says from then on where to go
// on.

// The next_row_id that a schema needs when these rows are deleted or renamed: where one of them has
// the highest number and the schema is not past it. `files` still has them.
Result<std::optional<std::int64_t>> next_row_id_without(const FileSystem& files,
                                                        const DatabaseFolder& folder,
                                                        const std::vector<std::string>& gone_ids);

// Of the steps that take a change back those left out which would only put next_row_id back, where
// the schema has moved on since: the counter stays above all that was given.
std::vector<Step> without_counters(const FileSystem& files, std::vector<Step> steps);

}  // namespace notesdb
