#include "yaml/quoted.h"

#include <cstring>
#include <optional>

#include "core/text.h"

namespace notesdb {

namespace {

// The characters that may follow a backslash and what each stands for. Hex forms stand apart.
constexpr std::string_view escape_letters = "0abt\tnvfre \"/\\N_LP";
constexpr char32_t escape_meanings[] = {
    0, 7, 8, 9, 9, 10, 11, 12, 13, 27, ' ', '"', '/', '\\', 0x85, 0xA0, 0x2028, 0x2029};

std::ptrdiff_t hex_digits(char letter) {
  switch (letter) {
    case 'x': return 2;
    case 'u': return 4;
    case 'U': return 8;
    default: return 0;
  }
}

std::optional<char32_t> parse_hex(const char* p, const char* end, std::ptrdiff_t digits) {
  if (end - p < digits) return std::nullopt;
  char32_t value = 0;
  for (const char* last = p + digits; p < last; ++p) {
    char c = *p;
    unsigned digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<unsigned>(c - '0');
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
      digit = static_cast<unsigned>((c | 0x20) - 'a') + 10;
    } else {
      return std::nullopt;
    }
    value = value * 16 + digit;
  }
  return value;
}

bool is_high_surrogate(char32_t c) {
  return c >= 0xD800 && c <= 0xDBFF;
}
bool is_low_surrogate(char32_t c) {
  return c >= 0xDC00 && c <= 0xDFFF;
}

struct Escape {
  char32_t code_point = 0;
  const char* next = nullptr;  // null: no such escape
};

Escape read_escape(const char* p, const char* end) {
  if (end - p < 2) return {};
  std::ptrdiff_t digits = hex_digits(p[1]);
  if (digits == 0) {
    std::size_t place = escape_letters.find(p[1]);
    if (place == std::string_view::npos) return {};
    return {escape_meanings[place], p + 2};
  }
  auto code = parse_hex(p + 2, end, digits);
  if (!code || *code > 0x10FFFF || is_low_surrogate(*code)) return {};
  const char* next = p + 2 + digits;
  if (!is_high_surrogate(*code)) return {*code, next};
  if (digits != 4 || end - next < 6 || next[0] != '\\' || next[1] != 'u') return {};
  auto low = parse_hex(next + 2, end, 4);
  if (!low || !is_low_surrogate(*low)) return {};
  return {0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00), next + 6};
}

std::string_view without_leading_blanks(std::string_view line) {
  while (!line.empty() && is_blank(line.front()))
    line.remove_prefix(1);
  return line;
}

// Whether the last character stands after a backslash that is no escaped backslash itself.
bool ends_escaped(std::string_view line) {
  std::size_t backslashes = 0;
  for (line.remove_suffix(1); line.ends_with('\\'); line.remove_suffix(1))
    ++backslashes;
  return backslashes % 2 == 1;
}

enum class Escapes { none, backslash };

std::string_view without_trailing_blanks(std::string_view line, Escapes escapes) {
  while (!line.empty() && is_blank(line.back()) &&
         !(escapes == Escapes::backslash && ends_escaped(line)))
    line.remove_suffix(1);
  return line;
}

bool ends_with_backslash(std::string_view line, Escapes escapes) {
  return escapes == Escapes::backslash && line.ends_with('\\') && !ends_escaped(line);
}

// The lines of quoted text, still as they are spelled, as the one that they mean.
std::string fold(std::string_view raw, Escapes escapes) {
  std::string folded;
  std::size_t breaks = 0;  // since the last line with text
  bool is_joined = false;
  for (bool is_first = true;; is_first = false) {
    const std::size_t newline = raw.find('\n');
    const bool is_last = newline == std::string_view::npos;
    std::string_view line = raw.substr(0, newline);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!is_first) line = without_leading_blanks(line);
    if (!is_last) line = without_trailing_blanks(line, escapes);
    if (is_last || is_first || !line.empty()) {
      if (!is_first) folded += breaks > 1 ? std::string(breaks - 1, '\n') : is_joined ? "" : " ";
      breaks = 0;
      is_joined = !is_last && ends_with_backslash(line, escapes);
      if (is_joined) line.remove_suffix(1);
      folded += line;
    }
    if (is_last) return folded;
    ++breaks;
    raw.remove_prefix(newline + 1);
  }
}

}  // namespace

void append_utf8(char32_t c, std::string& out) {
  auto put = [&out](char32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

const char* skip_escape(const char* p, const char* end) {
  return read_escape(p, end).next;
}

std::string decode_double_quoted(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  const char* end = raw.data() + raw.size();
  for (const char* p = raw.data(); p < end;) {
    if (*p != '\\') {
      text += *p++;
      continue;
    }
    Escape escape = read_escape(p, end);
    if (escape.next == nullptr) return text;
    append_utf8(escape.code_point, text);
    p = escape.next;
  }
  return text;
}

std::string fold_double_quoted(std::string_view raw) {
  return decode_double_quoted(fold(raw, Escapes::backslash));
}

std::string fold_single_quoted(std::string_view raw) {
  return decode_single_quoted(fold(raw, Escapes::none));
}

std::string decode_single_quoted(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    text += raw[i];
    if (raw[i] == '\'') ++i;
  }
  return text;
}

}  // namespace notesdb
