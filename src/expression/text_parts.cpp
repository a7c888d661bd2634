#include "expression/text_parts.h"

#include <array>

#include <utf8proc.h>

namespace notesdb::expression {

namespace {

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

// Behind the character at `at`.
std::size_t behind(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && !begins_character(text[at]))
    ++at;
  return at;
}

utf8proc_int32_t code_point_of(std::string_view character) {
  utf8proc_int32_t code_point = -1;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(character.data()),
                   static_cast<utf8proc_ssize_t>(character.size()),
                   &code_point);
  return code_point;
}

// The character changed by one of utf8proc's functions; what is not valid UTF-8 as it is.
std::string changed(std::string_view character, utf8proc_int32_t (*change)(utf8proc_int32_t)) {
  const utf8proc_int32_t code_point = code_point_of(character);
  if (code_point < 0) return std::string(character);
  std::array<utf8proc_uint8_t, 4> buffer{};
  const auto length = utf8proc_encode_char(change(code_point), buffer.data());
  return {reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(length)};
}

bool is_letter(std::string_view character) {
  const utf8proc_int32_t code_point = code_point_of(character);
  if (code_point < 0) return false;
  const auto category = utf8proc_category(code_point);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

}  // namespace

std::size_t character_count(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text)
    count += begins_character(c) ? 1 : 0;
  return count;
}

std::string characters(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < begin && first < text.size(); ++i)
    first = behind(text, first);
  std::size_t last = first;
  for (std::size_t i = begin; i < end && last < text.size(); ++i)
    last = behind(text, last);
  return std::string(text.substr(first, last - first));
}

std::string reversed(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t end = text.size(); end > 0;) {
    std::size_t begin = end - 1;
    while (begin > 0 && !begins_character(text[begin]))
      --begin;
    result += text.substr(begin, end - begin);
    end = begin;
  }
  return result;
}

std::string lower_case(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = behind(text, at);
    result += changed(text.substr(at, end - at), utf8proc_tolower);
    at = end;
  }
  return result;
}

std::string title_case(std::string_view text) {
  std::string result;
  bool in_word = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = behind(text, at);
    const std::string_view character = text.substr(at, end - at);
    const bool letter = is_letter(character);
    result += letter ? changed(character, in_word ? utf8proc_tolower : utf8proc_toupper)
                     : std::string(character);
    in_word = letter || (in_word && (character == "'" || character == "\u2019"));
    at = end;
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \t\n\r\f\v";
  const std::size_t begin = text.find_first_not_of(spaces);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(spaces) - begin + 1);
}

std::vector<std::string> split_text(std::string_view text,
                                    std::string_view separator,
                                    std::size_t max_pieces) {
  std::vector<std::string> pieces;
  std::size_t at = 0;
  while (pieces.size() < max_pieces) {
    if (separator.empty() && at >= text.size()) break;
    const std::size_t end = separator.empty() ? behind(text, at) : text.find(separator, at);
    pieces.emplace_back(text.substr(at, end == std::string_view::npos ? end : end - at));
    if (end == std::string_view::npos) break;
    at = end + separator.size();
  }
  return pieces;
}

}  // namespace notesdb::expression
