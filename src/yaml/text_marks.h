// TextMarks: where the few places that shape a text of YAML are, found for 64 bytes together.
//
//   title: A plan  # for now        tags:
//         ^        ^        ^            ^
//
// Marked are line ends, and where plain text cannot go on: at the space or the line end after a
// colon, which ended a key then, and at a hash after a space, which begins a comment. The bytes at
// a place and before it tell which it is. The end of the text is the last place, once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace notesdb {

class TextMarks {
 public:
  // A text of less than 4 GiB.
  void mark(std::string_view text);

  // The places, ascending, up to the one that is the size of the text.
  const std::uint32_t* places() const { return places_.data(); }

  // Whether there are bytes below 0x20 that are no line ends, and bytes from 0x80 on.
  bool has_controls() const { return has_controls_; }
  bool has_high_bytes() const { return has_high_bytes_; }

 private:
  std::vector<std::uint32_t> places_;  // only grows
  bool has_controls_ = false;
  bool has_high_bytes_ = false;
};

}  // namespace notesdb
