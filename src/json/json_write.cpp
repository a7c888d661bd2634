#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/real.h"
#include "core/text.h"
#include "json/json_number.h"
#include "json/json_pen.h"
#include "json/json_value.h"

namespace notesdb {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

constexpr std::size_t longest_escape = 6;

// Writes a byte that needs an escape; how long it is then.
std::size_t write_escaped(char c, char* place) {
  const auto write_short = [place](char letter) {
    place[0] = '\\';
    place[1] = letter;
    return std::size_t{2};
  };
  switch (c) {
    case '"':
    case '\\': return write_short(c);
    case '\n': return write_short('n');
    case '\r': return write_short('r');
    case '\t': return write_short('t');
    default: break;
  }
  const auto byte = static_cast<unsigned char>(c);
  std::memcpy(place, "\\u00", 4);
  place[4] = hex_digits[byte >> 4U];
  place[5] = hex_digits[byte & 15U];
  return longest_escape;
}

constexpr bool needs_escape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == '\x7f';
}

// Of eight bytes at once: not 0 if one of them does not stand in JSON as it is, whatever stands
// beside it. A byte that is less than what is taken from it borrows, which sets its highest bit,
// and may set that of bytes above it.
constexpr std::uint64_t special_among(std::uint64_t bytes) {
  constexpr std::uint64_t each = 0x0101010101010101U;
  const std::uint64_t quotes = (bytes ^ (each * '"')) - each;
  const std::uint64_t backslashes = (bytes ^ (each * '\\')) - each;
  const std::uint64_t deletes = (bytes ^ (each * 0x7F)) - each;
  const std::uint64_t controls = bytes - each * 0x20;
  return (bytes | quotes | backslashes | deletes | controls) & (each * 0x80);
}

template <typename Word>
std::uint64_t word_at(const char* place) {
  Word word = 0;
  std::memcpy(&word, place, sizeof word);
  return word;
}

// All bytes of a text of 1 to 8, some of them twice, and nothing else but letters.
std::uint64_t bytes_of_short(std::string_view text) {
  constexpr std::size_t half = sizeof(std::uint32_t);
  const char* last = text.data() + text.size() - 1;
  if (text.size() >= half) {
    return word_at<std::uint32_t>(text.data()) | word_at<std::uint32_t>(last + 1 - half) << 32U;
  }
  const auto byte = [](char c) { return std::uint64_t{static_cast<unsigned char>(c)}; };
  return 0x6161616161000000U | byte(text.front()) | byte(text[text.size() / 2]) << 8U |
         byte(*last) << 16U;
}

// Most texts of an answer are keys and short values, so what a text costs counts for more than what
// its bytes cost: no byte is looked at alone.
bool is_all_plain(std::string_view text) {
  constexpr std::size_t step = sizeof(std::uint64_t);
  if (text.empty()) return true;
  if (text.size() <= step) return special_among(bytes_of_short(text)) == 0;
  std::uint64_t found = special_among(word_at<std::uint64_t>(text.data() + text.size() - step));
  for (std::size_t at = 0; at + step < text.size(); at += step)
    found |= special_among(word_at<std::uint64_t>(text.data() + at));
  return found == 0;
}

// How many of the eight bytes at a place come before the first that needs an escape.
std::size_t count_plain(const char* place) {
  std::uint64_t bytes = word_at<std::uint64_t>(place);
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  // Letters beyond ASCII had their highest bit before.
  const std::uint64_t special = special_among(bytes) & ~bytes;
  return static_cast<std::size_t>(std::countr_zero(special)) / 8;
}

// Writes with or without line breaks: `step` spaces for each level, none for compact.
class JsonWriter {
 public:
  JsonWriter(JsonPen& pen, std::size_t step) : pen_(pen), step_(step) {}

  void write(const Value& value) {
    switch (value.kind()) {
      case ValueKind::null: return pen_.put("null");
      case ValueKind::boolean: return pen_.put(value.boolean() ? "true" : "false");
      case ValueKind::integer: return write_integer(value.integer());
      case ValueKind::real: return write_real(value.real());
      case ValueKind::text: return pen_.put_text(value.text());
      case ValueKind::list: return write_list(value.list());
      case ValueKind::map: return write_map(value.map());
    }
  }

 private:
  void write_integer(std::int64_t number) {
    std::array<char, 24> buffer{};
    auto* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
    const std::string_view digits(buffer.data(), end);
    if (exact_in_json(number)) return pen_.put(digits);
    pen_.put_quoted(digits);
  }

  void write_real(double number) {
    if (!std::isfinite(number)) return pen_.put_text(real_text(number));
    pen_.put(real_text(number));
  }

  void write_list(const List& list) {
    if (list.empty()) return pen_.put("[]");
    pen_.put('[');
    ++level_;
    for (std::size_t i = 0; i < list.size(); ++i) {
      separate(i);
      write(list[i]);
    }
    --level_;
    break_line();
    pen_.put(']');
  }

  void write_map(const Map& map) {
    if (map.empty()) return pen_.put("{}");
    pen_.put('{');
    ++level_;
    for (std::size_t i = 0; i < map.size(); ++i) {
      separate(i);
      pen_.put_text(map[i].key);
      pen_.put(step_ > 0 ? std::string_view(": ") : std::string_view(":"));
      write(map[i].value);
    }
    --level_;
    break_line();
    pen_.put('}');
  }

  void separate(std::size_t index) {
    if (index > 0) pen_.put(',');
    break_line();
  }

  void break_line() {
    if (step_ == 0) return;
    pen_.put('\n');
    for (std::size_t i = 0; i < level_ * step_; ++i)
      pen_.put(' ');
  }

  JsonPen& pen_;
  std::size_t step_;
  std::size_t level_ = 0;
};

}  // namespace

void JsonPen::grow(std::size_t bytes) {
  // As much again as there is, so that it is rarely asked for.
  constexpr std::size_t least = 512;
  out_.resize(used_ + std::max({bytes, used_ - begun_, least}));
}

void JsonPen::put_text(std::string_view text) {
  if (is_all_plain(text)) return put_quoted(text);
  if (!is_utf8(text)) return put_text(to_utf8(text));
  put('"');
  room(text.size());
  constexpr std::size_t step = sizeof(std::uint64_t);
  while (text.size() >= step) {
    // Eight bytes are copied before it is known how many of them are wanted.
    char* const place = room(step + longest_escape);
    std::memcpy(place, text.data(), step);
    const std::size_t plain = count_plain(text.data());
    used_ += plain;
    if (plain < step) used_ += write_escaped(text[plain], place + plain);
    text.remove_prefix(std::min(plain + 1, step));
  }
  for (const char c : text) {
    if (needs_escape(c)) {
      used_ += write_escaped(c, room(longest_escape));
    } else {
      put(c);
    }
  }
  put('"');
}

void JsonPen::put_value(const Value& value) {
  JsonWriter(*this, 0).write(value);
}

void append_json(std::string& out, const Value& value) {
  JsonPen(out).put_value(value);
}

std::string to_json(const Value& value) {
  std::string out;
  append_json(out, value);
  return out;
}

std::string to_indented_json(const Value& value) {
  std::string out;
  JsonPen pen(out);
  JsonWriter(pen, 2).write(value);
  pen.finish();
  return out;
}

}  // namespace notesdb
