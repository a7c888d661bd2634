#include "search/words.h"

#include <algorithm>
#include <array>
#include <string>

#include <utf8proc.h>

namespace notesdb::search {
namespace {

using CodePoint = utf8proc_int32_t;

struct Range {
  CodePoint first;
  CodePoint last;
};

// Written without spaces, in order. Only what a decomposed text holds is asked for.
constexpr std::array unspaced_ranges{
    Range{0x0E01, 0x0E3A},    // Thai, without its digits and the baht
    Range{0x0E40, 0x0E4E},    //
    Range{0x0E81, 0x0ECE},    // Lao
    Range{0x0EDC, 0x0EDF},    //
    Range{0x1000, 0x103F},    // Myanmar
    Range{0x1050, 0x108F},    //
    Range{0x1100, 0x11FF},    // Hangul
    Range{0x1780, 0x17D3},    // Khmer
    Range{0x17D7, 0x17D7},    //
    Range{0x17DC, 0x17DD},    //
    Range{0x2E80, 0x2FDF},    // Han: radicals
    Range{0x3005, 0x3007},    // 々 〆 〇
    Range{0x3021, 0x3029},    //
    Range{0x3031, 0x3035},    // kana
    Range{0x3038, 0x303C},    //
    Range{0x3041, 0x3096},    //
    Range{0x309D, 0x309F},    //
    Range{0x30A1, 0x30FA},    //
    Range{0x30FC, 0x30FF},    //
    Range{0x3105, 0x312F},    // Bopomofo
    Range{0x31A0, 0x31BF},    //
    Range{0x31F0, 0x31FF},    // kana
    Range{0x3400, 0x4DBF},    // Han
    Range{0x4E00, 0x9FFF},    //
    Range{0xA960, 0xA97F},    // Hangul
    Range{0xA9E0, 0xA9FE},    // Myanmar
    Range{0xAA60, 0xAA7F},    //
    Range{0xD7B0, 0xD7FF},    // Hangul
    Range{0x1AFF0, 0x1B16F},  // kana
    Range{0x20000, 0x3FFFF},  // Han
};

bool is_unspaced(CodePoint point) {
  if (point < unspaced_ranges.front().first) return false;
  const auto* const range = std::ranges::lower_bound(unspaced_ranges, point, {}, &Range::last);
  return range != unspaced_ranges.end() && range->first <= point;
}

constexpr bool is_between(CodePoint point, CodePoint first, CodePoint last) {
  return first <= point && point <= last;
}

// The voicing marks of kana, vowels and final consonants of Hangul: part of the character before.
bool joins_character(CodePoint point) {
  return is_between(point, 0x3099, 0x309A) || is_between(point, 0x1160, 0x11FF) ||
         is_between(point, 0xD7B0, 0xD7FF);
}

// Within a word, and not seen there: soft hyphen, joiners, variation selectors, byte order mark.
bool is_invisible(CodePoint point) {
  return point == 0xAD || is_between(point, 0x200C, 0x200D) || point == 0x2060 ||
         is_between(point, 0xFE00, 0xFE0F) || point == 0xFEFF ||
         is_between(point, 0xE0100, 0xE01EF) || point == 0x0640;  // the Arabic stretching line
}

// Letters that Unicode does not decompose. Lower case, for case is folded before.
std::string_view plain_form(CodePoint point) {
  switch (point) {
    case 0xE6: return "ae";
    case 0xF0: return "d";   // ð
    case 0xF8: return "o";   // ø
    case 0xFE: return "th";  // þ
    case 0x111: return "d";  // đ
    case 0x127: return "h";  // ħ
    case 0x131: return "i";  // ı
    case 0x142: return "l";  // ł
    case 0x153: return "oe";
    case 0x167: return "t";  // ŧ
    default: return {};
  }
}

// The marks of Latin, Greek, Cyrillic, Hebrew and Arabic have these combining classes; vowel signs
// and the like of other scripts, which make another word, have others.
bool is_diacritic(const utf8proc_property_t& properties) {
  const auto combining = properties.combining_class;
  return is_between(combining, 10, 36) || combining >= 200;
}

enum class Part { letter, mark, none };

Part part_of(const utf8proc_property_t& properties) {
  switch (properties.category) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
    case UTF8PROC_CATEGORY_CO: return Part::letter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return Part::mark;
    default: return Part::none;
  }
}

// Letters and digits in lower case, 0 for what stands between words and what is not ASCII.
constexpr std::array<char, 256> ascii_letters = [] {
  std::array<char, 256> letters{};
  for (char c = '0'; c <= '9'; ++c)
    letters[static_cast<std::size_t>(c)] = c;
  for (char c = 'a'; c <= 'z'; ++c)
    letters[static_cast<std::size_t>(c)] = letters[static_cast<std::size_t>(c - 'a' + 'A')] = c;
  return letters;
}();

class WordSplitter {
 public:
  WordSplitter(std::string_view text, const TakeWord& take) : text_(text), take_(take) {}

  void run() {
    while (at_ < text_.size() && goes_on_) {
      if (static_cast<unsigned char>(text_[at_]) < 0x80) {
        take_ascii();
      } else {
        take_code_point();
      }
    }
    finish();
  }

 private:
  // Most words are ASCII from end to end, and short: they are made beside `word_`.
  void take_ascii() {
    std::array<char, 64> word;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    while (at_ < text_.size() && goes_on_) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      if (byte >= 0x80) return;
      if (ascii_letters[byte] == 0) {
        if (!word_.empty()) finish();
        ++at_;
        continue;
      }
      const std::size_t begin = at_;
      const std::size_t end = std::min(text_.size(), at_ + word.size());
      char letter = 0;
      std::size_t size = 0;
      while (at_ < end && (letter = ascii_letters[static_cast<unsigned char>(text_[at_])]) != 0) {
        word[size++] = letter;
        ++at_;
      }
      const bool is_whole =
          word_.empty() && at_ < end && static_cast<unsigned char>(text_[at_]) < 0x80;
      if (is_whole) {
        goes_on_ = take_({word.data(), size}, begin, at_);
      } else {
        begin_letter(begin);
        word_.append(word.data(), size);
        end_ = at_;
      }
    }
  }

  void take_code_point() {
    const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(text_.data()) + at_;
    CodePoint point = -1;
    const auto length =
        utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text_.size() - at_), &point);
    if (length <= 0) {
      finish();
      ++at_;
      return;
    }
    const std::size_t begin = at_;
    at_ += static_cast<std::size_t>(length);
    if (is_between(point, 0x4E00, 0x9FFF)) return take_unspaced(point, begin);
    std::array<CodePoint, 32> parts{};
    int boundary = 0;
    const auto count = utf8proc_decompose_char(
        point,
        parts.data(),
        static_cast<utf8proc_ssize_t>(parts.size()),
        static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD),
        &boundary);
    for (utf8proc_ssize_t i = 0; i < count && i < std::ssize(parts); ++i)
      take_part(parts[static_cast<std::size_t>(i)], begin);
  }

  void take_part(CodePoint point, std::size_t begin) {
    if (point < 0x80) {
      const char letter = ascii_letters[static_cast<std::size_t>(point)];
      if (letter == 0) return finish();
      begin_letter(begin);
      word_ += letter;
      end_ = at_;
      return;
    }
    if (is_invisible(point)) return;
    if (is_character_ && joins_character(point)) return extend(point);
    if (is_unspaced(point)) return take_unspaced(point, begin);
    const utf8proc_property_t& properties = *utf8proc_get_property(point);
    if (is_diacritic(properties)) {
      constexpr CodePoint breve = 0x306;
      if (point == breve && word_.ends_with("и")) return extend(point);
      if (!word_.empty()) end_ = at_;
      return;
    }
    const Part part = part_of(properties);
    if (part == Part::none || (part == Part::mark && word_.empty())) return finish();
    if (part == Part::letter) begin_letter(begin);
    if (const std::string_view plain = plain_form(point); !plain.empty()) {
      word_ += plain;
      end_ = at_;
    } else {
      extend(point);
    }
  }

  void take_unspaced(CodePoint point, std::size_t begin) {
    finish();
    is_character_ = true;
    begin_ = begin;
    extend(point);
  }

  void begin_letter(std::size_t begin) {
    if (is_character_) finish();
    if (word_.empty()) begin_ = begin;
  }

  void extend(CodePoint point) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto length = utf8proc_encode_char(point, bytes.data());
    word_.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
    end_ = at_;
  }

  void finish() {
    if (!word_.empty() && goes_on_) goes_on_ = take_(word_, begin_, end_);
    word_.clear();
    is_character_ = false;
  }

  std::string_view text_;
  const TakeWord& take_;
  std::size_t at_ = 0;
  std::string word_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool is_character_ = false;  // the word is one of a script without spaces
  bool goes_on_ = true;
};

}  // namespace

void split_words(std::string_view text, const TakeWord& take) {
  WordSplitter(text, take).run();
}

}  // namespace notesdb::search
