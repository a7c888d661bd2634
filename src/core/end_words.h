// End words: the first and the last bytes of a text as two numbers, so that short texts are
// compared and hashed without a loop.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace notesdb {

// Texts of one size of at most `whole` bytes are equal if their end words are.
struct EndWords {
  static constexpr std::size_t whole = 16;

  std::uint64_t head = 0;
  std::uint64_t tail = 0;

  friend bool operator==(const EndWords&, const EndWords&) = default;
};

inline EndWords end_words(const char* text, std::size_t size) {
  const auto word_at = [text]<typename Word>(std::size_t place, Word word) {
    std::memcpy(&word, text + place, sizeof word);
    return word;
  };
  const auto byte_at = [text](std::size_t place) {
    return std::uint64_t{static_cast<unsigned char>(text[place])};
  };
  if (size >= 8) return {word_at(0, std::uint64_t{}), word_at(size - 8, std::uint64_t{})};
  if (size >= 4) return {word_at(0, std::uint32_t{}), word_at(size - 4, std::uint32_t{})};
  if (size == 0) return {};
  return {byte_at(0) | byte_at(size / 2) << 8U | byte_at(size - 1) << 16U, 0};
}

// Whether two texts of one size are equal.
inline bool is_same_text(const char* a, const char* b, std::size_t size) {
  if (size > EndWords::whole) return std::memcmp(a, b, size) == 0;
  return end_words(a, size) == end_words(b, size);
}

inline bool is_same_text(std::string_view a, std::string_view b) {
  return a.size() == b.size() && is_same_text(a.data(), b.data(), a.size());
}

}  // namespace notesdb
