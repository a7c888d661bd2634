// Etag: which bytes a row's file held when it was read. XXH3-64 of them, shown as 16 hex digits,
// opaque to callers. files/etag.h computes it; it decides no trust, only sameness.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace notesdb {

struct Etag {
  std::uint64_t hash = 0;
  friend auto operator<=>(const Etag&, const Etag&) = default;
};

std::string to_text(Etag etag);
// The same without a string: every row of an answer has one.
std::array<char, 16> digits_of(Etag etag);

// Empty unless the text is exactly 16 lower-case hex digits.
std::optional<Etag> parse_etag(std::string_view text);

}  // namespace notesdb
