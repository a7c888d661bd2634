// TakenIds: the ids that the rows of a table have, for whoever looks for a free one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "database/row_id.h"
#include "index/row_table.h"

namespace notesdb {

class TakenIds : public KnownIds {
 public:
  // The table must outlive it and stay as it is.
  explicit TakenIds(const RowTable& table) : table_(table) {}

  std::int64_t highest_counter(std::string_view prefix) const override;
  bool has(const std::string& id) const override { return !like(id).empty(); }
  // The id that is, or would be, one file with this one; empty if there is none. `but` counts for
  // nothing.
  std::string like(std::string_view id, std::string_view but = {}) const;

 private:
  template <typename Take>
  void each(const Take& take) const;

  const RowTable& table_;
};

}  // namespace notesdb
