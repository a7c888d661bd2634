// Span: bytes [begin, end) of a text.
#pragma once

#include <cstddef>
#include <string_view>

namespace notesdb {

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool empty() const { return begin == end; }
  friend bool operator==(const Span&, const Span&) = default;
};

// The bytes that a span of this text names.
inline std::string_view slice(std::string_view text, Span span) {
  return text.substr(span.begin, span.end - span.begin);
}

// Fields beyond this size are refused: no person wrote them (of 74,025 real texts the largest has
// 120,768 bytes), and every way to read them must end soon.
inline constexpr std::size_t max_fields_size = 256 << 10;

}  // namespace notesdb
