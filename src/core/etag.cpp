#include "core/etag.h"

#include <charconv>

namespace notesdb {

namespace {
constexpr std::string_view digits = "0123456789abcdef";
constexpr std::size_t length = 16;
}  // namespace

std::array<char, length> digits_of(Etag etag) {
  std::array<char, length> text{};
  for (std::size_t i = 0; i < length; ++i) {
    text[length - 1 - i] = digits[(etag.hash >> (4 * i)) & 15U];
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
