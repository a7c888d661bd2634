#include "core/etag.h"

#include <charconv>

namespace notesdb {

namespace {
constexpr std::string_view digits = "0123456789abcdef";
constexpr std::size_t length = 16;

// The digits of a number, one in each byte of a word, the first in the highest.
constexpr std::uint64_t eight_digits(std::uint32_t number) {
  constexpr std::uint64_t each = 0x0101010101010101U;
  std::uint64_t digit = number;
  digit = (digit | digit << 16U) & 0x0000FFFF0000FFFFU;
  digit = (digit | digit << 8U) & 0x00FF00FF00FF00FFU;
  digit = (digit | digit << 4U) & 0x0F0F0F0F0F0F0F0FU;
  const std::uint64_t is_letter = (digit + each * 6) >> 4U & each;
  return digit + each * '0' + is_letter * ('a' - '0' - 10);
}

}  // namespace

std::array<char, length> digits_of(Etag etag) {
  std::array<char, length> text{};
  const std::uint64_t first = eight_digits(static_cast<std::uint32_t>(etag.hash >> 32U));
  const std::uint64_t last = eight_digits(static_cast<std::uint32_t>(etag.hash));
  for (std::size_t i = 0; i < length / 2; ++i) {
    text[i] = static_cast<char>(first >> (56 - 8 * i));
    text[i + length / 2] = static_cast<char>(last >> (56 - 8 * i));
  }
  return text;
}

std::string to_text(Etag etag) {
  const auto text = digits_of(etag);
  return {text.data(), text.size()};
}

std::optional<Etag> parse_etag(std::string_view text) {
  if (text.size() != length) return std::nullopt;
  if (text.find_first_not_of(digits) != std::string_view::npos) return std::nullopt;
  Etag etag;
  std::from_chars(text.data(), text.data() + text.size(), etag.hash, 16);
  return etag;
}

}  // namespace notesdb
