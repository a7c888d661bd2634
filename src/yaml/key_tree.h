// KeyTree: the lists of keys that texts have begun with, as a tree, so that the keys of the next
// text are recognized instead of searched for.
//
//   (root) - id - title - status - due - url     a row
//                               \ url           one without a due date
//
//   tree.restart();
//   for (...) if (!tree.follow(key)) ...         // key by key
//   tree.place();                                // a number for the list of keys
//
// The tree stays small: a text whose keys do not fit in is lost from there on, and has no place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/end_words.h"

namespace notesdb {

class KeyTree {
 public:
  // Of a text that is lost.
  static constexpr std::uint32_t no_place = ~std::uint32_t{0};

  void restart() { place_ = 0; }

  // Continues to a key that stands in a text without quotes, if it has stood so before; whether it
  // has.
  bool follow(std::string_view key) {
    if (place_ == no_place || branches_.empty()) return false;
    for (std::uint32_t next = branches_[place_].first; next != 0; next = branches_[next].sibling) {
      if (!branches_[next].is_plain || !is_same_text(branches_[next].key, key)) continue;
      place_ = next;
      return true;
    }
    return false;
  }
  // Continues to a key; whether it has stood here before.
  bool take(std::string_view key, bool is_plain);
  // Adds a key that take() did not find, and continues to it.
  void add(std::string_view key, bool is_plain);

  // Texts with the same place have the same keys in the same order.
  std::uint32_t place() const { return place_; }

 private:
  struct Branch {
    std::string key;
    std::uint32_t first = 0;    // of the branches that go on from here
    std::uint32_t sibling = 0;  // the next that continues from where this does
    bool is_plain = false;      // it was met without quotes, so that its text alone shows it
  };

  std::vector<Branch> branches_;  // at 0 the root
  std::uint32_t place_ = 0;
};

}  // namespace notesdb
