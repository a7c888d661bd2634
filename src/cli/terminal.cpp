#include "cli/terminal.h"

#include <array>
#include <cstdio>

namespace notesdb::cli {

namespace {

// The code point of a control of two or three bytes at this place; 0 if there is none.
unsigned control_at(std::string_view text) {
  auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) return byte(1);
  if (byte(0) != 0xe2) return 0;
  unsigned point = 0x2000U | ((byte(1) & 0x3fU) << 6U) | (byte(2) & 0x3fU);
  bool is_mark = point == 0x200e || point == 0x200f;
  bool is_embedding = point >= 0x202a && point <= 0x202e;
  bool is_isolate = point >= 0x2066 && point <= 0x2069;
  return is_mark || is_embedding || is_isolate ? point : 0;
}

}  // namespace

std::string escape_inside_quotes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    unsigned point = control_at(text);
    if (point == 0) {
      out += text.front();
      text.remove_prefix(1);
      continue;
    }
    std::array<char, 8> escape{};
    std::snprintf(escape.data(), escape.size(), "\\u%04x", point);
    out += escape.data();
    text.remove_prefix(point < 0x800 ? 2 : 3);
  }
  return out;
}

}  // namespace notesdb::cli
