// Text as Unicode wants it handled: valid UTF-8, folded for comparison, ordered by nature, near
// to another text, as wide as a terminal shows it. Pure functions, the same in every locale.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notesdb {

// Of ASCII alone.
inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
// The digits at the front of a text, taken off it.
std::string_view take_digits(std::string_view& text);
// The text without these characters at its ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

// The parts between one character; a text without it is one part.
std::vector<std::string_view> split(std::string_view text, char at);

// Whether the bytes are valid UTF-8 (no surrogates, no overlong forms).
bool is_utf8(std::string_view bytes);
// The same text with every invalid sequence replaced by U+FFFD.
std::string to_utf8(std::string_view bytes);

// Unicode simple case folding, code point by code point (CaseFolding.txt, status C and S).
std::string fold_case(std::string_view text);
// Canonical composition (NFC), as new file names are written.
std::string to_nfc(std::string_view text);

// Natural order: runs of digits compare as numbers, so row-9 comes before row-10; equal numbers
// with different zeros and everything else by code point. A total order: 0 only for equal texts.
int compare_natural(std::string_view a, std::string_view b);

// The choice nearest to what was given, if one is near enough to be meant (edit distance with
// transpositions, ignoring case, plus the synonyms people bring: equals -> eq, before -> lt).
std::optional<std::string> nearest_name(std::string_view given,
                                        const std::vector<std::string>& choices);
// The `most` nearest choices, best first.
std::vector<std::string> nearest_names(std::string_view given,
                                       const std::vector<std::string>& choices,
                                       std::size_t most);

// Letters and digits of any script kept, ASCII lower-cased, every other run one hyphen, trimmed:
// "My Tasks" -> "my-tasks". Empty if nothing is left.
std::string slug(std::string_view text);

// Text safe for a terminal: control characters (C0 but newline and tab, DEL, C1, bidi overrides)
// shown as escapes such as \x1b and \u202e; invalid UTF-8 as \xNN.
std::string escape_controls(std::string_view text);

// The text as a string of JSON, which is one of TOML too: between quotes, with escapes.
std::string quoted_string(std::string_view text);

// How many cells of a terminal a text takes. Wide letters take two, combining marks none, an emoji
// made of several code points is one picture of two.
std::size_t text_width(std::string_view text);

// The beginning that fits `cells`, the last of them a "…" where something was cut.
std::string cut_to_width(std::string_view text, std::size_t cells);

// The first and the last bytes of a text as two numbers, so that short texts are compared and
// hashed without a loop: texts of one size of at most `whole` bytes are equal if these are.
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
