// KeyLists: the different lists of front matter keys that rows have, each with a code from 1 on.
//
// Nearly all rows of a folder share a few lists, so a row costs one look-up: the list knows which
// column each key is, which keys are no columns, and where a new key would go.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/schema.h"

namespace notesdb {

class KeyLists {
 public:
  static constexpr std::uint32_t no_column = ~std::uint32_t{0};

  explicit KeyLists(std::vector<std::string> column_ids) : column_ids_(std::move(column_ids)) {}

  std::uint32_t add(std::span<const std::string_view> keys);
  std::vector<std::uint32_t> absorb(const KeyLists& other);

  std::uint32_t size() const { return static_cast<std::uint32_t>(lists_.size()); }
  const std::vector<std::string>& keys(std::uint32_t code) const { return lists_[code - 1].keys; }
  // The column of each key, or no_column.
  std::span<const std::uint32_t> columns(std::uint32_t code) const {
    return lists_[code - 1].columns;
  }

 private:
  struct List {
    std::vector<std::string> keys;
    std::vector<std::uint32_t> columns;
  };
  std::uint32_t column_of(std::string_view key) const;

  std::vector<std::string> column_ids_;
  std::vector<List> lists_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> codes_;  // by hash of their keys
};

}  // namespace notesdb
