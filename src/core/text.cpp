#include "core/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <utf8proc.h>

namespace notesdb {

namespace {

struct Decoded {
  utf8proc_int32_t code_point = -1;
  std::size_t length = 1;  // bytes taken; 1 where the byte is not the start of a valid sequence
  bool valid() const { return code_point >= 0; }
};

Decoded decode_first(std::string_view bytes) {
  utf8proc_int32_t code_point = -1;
  utf8proc_ssize_t length =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()),
                       static_cast<utf8proc_ssize_t>(bytes.size()),
                       &code_point);
  if (length <= 0) return {};
  return {code_point, static_cast<std::size_t>(length)};
}

void append(std::string& out, utf8proc_int32_t code_point) {
  std::array<utf8proc_uint8_t, 4> buffer{};
  auto length = utf8proc_encode_char(code_point, buffer.data());
  out.append(reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(length));
}

// Calls `each(decoded, its bytes)` for every code point and every stray byte.
template <typename Each>
void for_each_code_point(std::string_view text, Each each) {
  while (!text.empty()) {
    Decoded decoded = decode_first(text);
    each(decoded, text.substr(0, decoded.length));
    text.remove_prefix(decoded.length);
  }
}

constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// The first place from `at` on where no ASCII stands, found eight bytes at a time.
std::size_t behind_ascii(std::string_view text, std::size_t at) {
  constexpr std::uint64_t high_bits = 0x8080808080808080;
  for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & high_bits) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80)
    ++at;
  return at;
}

bool is_ascii(std::string_view text) {
  return behind_ascii(text, 0) == text.size();
}

// Going up and then down joins what has several lower forms (sigma, long s). The dotless and the
// dotted I belong to Turkish folding only; Cherokee folds to its capitals, which came first.
utf8proc_int32_t fold_code_point(utf8proc_int32_t code_point) {
  constexpr utf8proc_int32_t dotted_capital_i = 0x130;
  constexpr utf8proc_int32_t dotless_small_i = 0x131;
  if (code_point == dotted_capital_i || code_point == dotless_small_i) return code_point;
  utf8proc_int32_t upper = utf8proc_toupper(code_point);
  bool cherokee = upper >= 0x13A0 && upper <= 0x13F5;
  return cherokee ? upper : utf8proc_tolower(upper);
}

}  // namespace

std::string_view take_digits(std::string_view& text) {
  const auto* const end = std::ranges::find_if_not(text, is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_utf8(std::string_view bytes) {
  for (std::size_t at = behind_ascii(bytes, 0); at < bytes.size(); at = behind_ascii(bytes, at)) {
    const Decoded decoded = decode_first(bytes.substr(at));
    if (!decoded.valid()) return false;
    at += decoded.length;
  }
  return true;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string to_utf8(std::string_view bytes) {
  if (is_ascii(bytes)) return std::string(bytes);
  std::string out;
  out.reserve(bytes.size());
  for_each_code_point(bytes, [&](Decoded decoded, std::string_view part) {
    out += decoded.valid() ? part : "\xEF\xBF\xBD";
  });
  return out;
}

std::string fold_case(std::string_view text) {
  std::string out;
  if (is_ascii(text)) {
    out = text;
    std::ranges::transform(out, out.begin(), ascii_lower);
    return out;
  }
  out.reserve(text.size());
  for_each_code_point(text, [&](Decoded decoded, std::string_view part) {
    if (decoded.valid()) {
      append(out, fold_code_point(decoded.code_point));
    } else {
      out += part;
    }
  });
  return out;
}

std::string to_nfc(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  utf8proc_uint8_t* composed = nullptr;
  auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                             static_cast<utf8proc_ssize_t>(text.size()),
                             &composed,
                             static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  if (length < 0) return std::string(text);
  std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
  return {reinterpret_cast<const char*>(composed), static_cast<std::size_t>(length)};
}

namespace {

std::string_view take_number(std::string_view& text) {
  std::string_view number = take_digits(text);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

int compare_numbers(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

std::size_t digits_from(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && is_digit(text[end]))
    ++end;
  return end - begin;
}

}  // namespace

int compare_natural(std::string_view a, std::string_view b) {
  auto shared = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  if (shared < std::min(a.size(), b.size()) && digits_from(a, shared) == digits_from(b, shared)) {
    // Numbers of as many digits, or none: the first byte that differs decides.
    return static_cast<unsigned char>(a[shared]) < static_cast<unsigned char>(b[shared]) ? -1 : 1;
  }
  while (shared > 0 && is_digit(a[shared - 1]))
    --shared;
  std::string_view rest_a = a.substr(shared);
  std::string_view rest_b = b.substr(shared);
  while (!rest_a.empty() && !rest_b.empty()) {
    if (is_digit(rest_a[0]) && is_digit(rest_b[0])) {
      std::string_view number_a = take_number(rest_a);
      std::string_view number_b = take_number(rest_b);
      if (int order = compare_numbers(number_a, number_b); order != 0) return order;
      continue;
    }
    if (rest_a[0] != rest_b[0]) {
      return static_cast<unsigned char>(rest_a[0]) < static_cast<unsigned char>(rest_b[0]) ? -1 : 1;
    }
    rest_a.remove_prefix(1);
    rest_b.remove_prefix(1);
  }
  if (rest_a.empty() != rest_b.empty()) return rest_a.empty() ? -1 : 1;
  return a.compare(b);
}

namespace {

bool is_mark(utf8proc_category_t category) {
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

bool is_letter_or_digit(utf8proc_category_t category) {
  bool letter = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
  bool number = category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
  return letter || number;
}

}  // namespace

std::string slug(std::string_view text) {
  std::string composed = to_nfc(text);
  std::string out;
  bool gap = false;
  for_each_code_point(composed, [&](Decoded decoded, std::string_view part) {
    utf8proc_category_t category =
        decoded.valid() ? utf8proc_category(decoded.code_point) : UTF8PROC_CATEGORY_CN;
    // A mark belongs to the letter before it (Hindi vowels) and is nothing by itself.
    bool keep = is_letter_or_digit(category) || (is_mark(category) && !gap && !out.empty());
    if (!keep) {
      gap = true;
      return;
    }
    if (gap && !out.empty()) out += '-';
    gap = false;
    out += part.size() == 1 ? std::string(1, ascii_lower(part[0])) : std::string(part);
  });
  return out;
}

namespace {

std::string hex(std::uint32_t number, std::size_t digits) {
  std::string text(digits, '0');
  for (std::size_t i = 0; i < digits; ++i) {
    text[digits - 1 - i] = "0123456789abcdef"[(number >> (4 * i)) & 15U];
  }
  return text;
}

// What could make a terminal do or show something else than the text.
bool is_control(std::uint32_t code_point) {
  if (code_point == '\n' || code_point == '\t') return false;
  bool c0_or_c1 = code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F);
  bool bidi = (code_point >= 0x202A && code_point <= 0x202E) ||
              (code_point >= 0x2066 && code_point <= 0x2069) || code_point == 0x200E ||
              code_point == 0x200F || code_point == 0x61C;
  return c0_or_c1 || bidi;
}

}  // namespace

std::string escape_controls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_code_point(text, [&](Decoded decoded, std::string_view part) {
    auto code_point = static_cast<std::uint32_t>(decoded.code_point);
    if (!decoded.valid()) {
      out += "\\x" + hex(static_cast<unsigned char>(part[0]), 2);
    } else if (!is_control(code_point)) {
      out += part;
    } else if (code_point < 0x80) {
      out += "\\x" + hex(code_point, 2);
    } else {
      out += "\\u" + hex(code_point, 4);
    }
  });
  return out;
}

namespace {

constexpr utf8proc_int32_t picture_selector = 0xfe0f;

// One cluster after another: what a reader takes for one character.
class Clusters {
 public:
  explicit Clusters(std::string_view text) : rest_(text) {}

  // False at the end; else `width` and `size` (in bytes) are those of the next cluster.
  bool next() {
    size = 0;
    width = 0;
    utf8proc_int32_t before = -1;
    while (!rest_.empty()) {
      utf8proc_int32_t point = 0;
      std::size_t bytes = read(point);
      if (before >= 0 && utf8proc_grapheme_break_stateful(before, point, &state_)) break;
      std::size_t cells = point == picture_selector
                              ? 2
                              : static_cast<std::size_t>(std::max(0, utf8proc_charwidth(point)));
      width = std::min<std::size_t>(2, width + cells);
      size += bytes;
      rest_.remove_prefix(bytes);
      before = point;
    }
    state_ = 0;
    return size > 0;
  }

  std::size_t size = 0;
  std::size_t width = 0;

 private:
  std::size_t read(utf8proc_int32_t& point) const {
    utf8proc_ssize_t bytes =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(rest_.data()),
                         static_cast<utf8proc_ssize_t>(rest_.size()),
                         &point);
    if (bytes > 0) return static_cast<std::size_t>(bytes);
    point = 0xfffd;
    return 1;
  }

  std::string_view rest_;
  utf8proc_int32_t state_ = 0;
};

bool is_plain_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace

std::size_t text_width(std::string_view text) {
  if (is_plain_ascii(text)) return text.size();
  std::size_t width = 0;
  Clusters clusters(text);
  while (clusters.next())
    width += clusters.width;
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t cells) {
  if (text_width(text) <= cells) return std::string(text);
  std::size_t width = 1;  // of the "…"
  std::size_t bytes = 0;
  Clusters clusters(text);
  while (clusters.next() && width + clusters.width <= cells) {
    width += clusters.width;
    bytes += clusters.size;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

std::string quoted_string(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\u00";
      out += digits[byte >> 4];
      out += digits[byte & 0xF];
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace notesdb
