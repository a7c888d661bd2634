// Span: bytes [begin, end) of a text.
#pragma once

#include <cstddef>

namespace notesdb {

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool empty() const { return begin == end; }
  friend bool operator==(const Span&, const Span&) = default;
};

}  // namespace notesdb
