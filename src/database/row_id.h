// Row ids as new rows get them: counter, slug, ulid, short.
//
//   counter  row-012        one above the highest there is
//   slug     my-first-note  made of a column's text; -2, -3 ... where that is taken
//   ulid     01JD8Q...      26 characters that sort by time
//   short    k3v9x2mq       8 random characters
//
// Nothing here looks at the disk: the ids that exist are the caller's to bring, and whether an id
// is still free when the file is made is for the file system to say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/schema.h"

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

// A new id after `folder` ("" or "entries/"), by the schema's row_id. `source` is the text a slug
// is made of.
std::string make_row_id(const Schema& schema,
                        const std::string& folder,
                        const KnownIds& known,
                        std::string_view source);

// Two ids that have this in common would be one file on systems that fold names.
std::string folded_id(std::string_view id);

// An id that is held against many others.
class FoldedId {
 public:
  explicit FoldedId(std::string_view id);
  // Whether the two would be one file on systems that fold names.
  bool is_one_name_with(std::string_view other) const;

 private:
  std::string folded_;
};

// The refusal of an id because of the row `by`, which has it or would be one file with it.
Error id_taken(std::string_view row_id, std::string_view by);

}  // namespace notesdb
