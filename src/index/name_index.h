// NameIndex: which ids a table has, by what they are on systems that fold names, remembered from one
// write to the next.
//
// It keeps four bytes of a hash of each id, eight to sixteen bytes a row: that an id is not there is
// certain, that it is there is to be looked at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace notesdb {

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

class NameIndex {
 public:
  explicit NameIndex(std::size_t expected = 0);

  void add(std::string_view id);
  // Of an id that was added.
  void remove(std::string_view id);
  bool may_have(std::string_view id) const;

 private:
  void insert(std::uint32_t hash);

  std::vector<std::uint32_t> slots_;  // a power of two of them
  std::size_t used_ = 0;              // with what was removed
};

}  // namespace notesdb
