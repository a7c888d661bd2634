#include "yaml/text_marks.h"

#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace notesdb {
namespace {

constexpr std::size_t block_size = 64;

// A bit for each byte of a block.
struct Bits {
  std::uint64_t line_ends = 0;
  std::uint64_t colons = 0;
  std::uint64_t hashes = 0;
  std::uint64_t blanks = 0;
  std::uint64_t below_blank = 0;
  std::uint64_t high = 0;

  // Those of the last bytes of the block, as if a block began with them.
  Bits from(std::size_t first) const {
    return {line_ends >> first,
            colons >> first,
            hashes >> first,
            blanks >> first,
            below_blank >> first,
            high >> first};
  }
};

#ifdef __SSE2__

std::uint64_t bits_of(__m128i hits) {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(hits));
}

Bits look(const char* block) {
  Bits bits;
  for (unsigned at = 0; at < block_size; at += 16) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + at));
    const __m128i low = _mm_min_epu8(part, _mm_set1_epi8(0x1F));
    bits.line_ends |= bits_of(_mm_cmpeq_epi8(part, _mm_set1_epi8('\n'))) << at;
    bits.colons |= bits_of(_mm_cmpeq_epi8(part, _mm_set1_epi8(':'))) << at;
    bits.hashes |= bits_of(_mm_cmpeq_epi8(part, _mm_set1_epi8('#'))) << at;
    bits.blanks |= bits_of(_mm_cmpeq_epi8(part, _mm_set1_epi8(' '))) << at;
    bits.below_blank |= bits_of(_mm_cmpeq_epi8(low, part)) << at;
    bits.high |= bits_of(part) << at;
  }
  return bits;
}

#else

Bits look(const char* block) {
  Bits bits;
  for (unsigned at = 0; at < block_size; ++at) {
    const auto byte = static_cast<unsigned char>(block[at]);
    bits.line_ends |= std::uint64_t{byte == '\n'} << at;
    bits.colons |= std::uint64_t{byte == ':'} << at;
    bits.hashes |= std::uint64_t{byte == '#'} << at;
    bits.blanks |= std::uint64_t{byte == ' '} << at;
    bits.below_blank |= std::uint64_t{byte < 0x20} << at;
    bits.high |= std::uint64_t{byte >= 0x80} << at;
  }
  return bits;
}

#endif

// The last block of a text, of which `count` bytes are in no block before: as if it began with
// them.
Bits look_at_last(std::string_view text, std::size_t count) {
  const std::size_t first = block_size - count;
  if (text.size() >= block_size) return look(text.data() + text.size() - block_size).from(first);
  char copy[block_size] = {};
  std::memcpy(copy + first, text.data() + text.size() - count, count);
  return look(copy).from(first);
}

}  // namespace

void TextMarks::mark(std::string_view text) {
  if (places_.size() <= text.size()) places_.resize(text.size() + 1);
  std::uint32_t* out = places_.data();
  std::uint64_t colon_before = 0;  // in the lowest bit, of the byte before the block
  std::uint64_t blank_before = 0;
  std::uint64_t controls = 0;
  std::uint64_t high = 0;
  const auto take = [&](const Bits& bits, std::size_t begin) {
    controls |= bits.below_blank ^ bits.line_ends;
    high |= bits.high;
    const std::uint64_t behind_colons = bits.colons << 1U | colon_before;
    const std::uint64_t behind_blanks = bits.blanks << 1U | blank_before;
    colon_before = bits.colons >> (block_size - 1);
    blank_before = bits.blanks >> (block_size - 1);
    std::uint64_t marks = bits.line_ends | (behind_colons & (bits.blanks | bits.below_blank)) |
                          (behind_blanks & bits.hashes);
    for (; marks != 0; marks &= marks - 1)
      *out++ = static_cast<std::uint32_t>(begin + static_cast<unsigned>(std::countr_zero(marks)));
  };
  std::size_t at = 0;
  for (; text.size() - at >= block_size; at += block_size)
    take(look(text.data() + at), at);
  if (at < text.size()) take(look_at_last(text, text.size() - at), at);
  *out = static_cast<std::uint32_t>(text.size());
  has_controls_ = controls != 0;
  has_high_bytes_ = high != 0;
}

}  // namespace notesdb
