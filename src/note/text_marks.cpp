#include "note/text_marks.h"

#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace notesdb {
namespace {

// A bit for each of 64 bytes.
struct Bits {
  std::uint64_t line_ends = 0;
  std::uint64_t colons = 0;
  std::uint64_t hashes = 0;
  std::uint64_t below_blank = 0;
  std::uint64_t high = 0;
};

#ifdef __SSE2__

std::uint64_t bits_of(__m128i hits) {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(hits));
}

Bits bits_of(const char* bytes) {
  Bits bits;
  for (unsigned at = 0; at < 64; at += 16) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at));
    const __m128i last_control = _mm_set1_epi8(0x1F);
    bits.line_ends |= bits_of(_mm_cmpeq_epi8(part, _mm_set1_epi8('\n'))) << at;
    bits.colons |= bits_of(_mm_cmpeq_epi8(part, _mm_set1_epi8(':'))) << at;
    bits.hashes |= bits_of(_mm_cmpeq_epi8(part, _mm_set1_epi8('#'))) << at;
    bits.below_blank |= bits_of(_mm_cmpeq_epi8(_mm_min_epu8(part, last_control), part)) << at;
    bits.high |= bits_of(part) << at;
  }
  return bits;
}

#else

Bits bits_of(const char* bytes) {
  Bits bits;
  for (unsigned at = 0; at < 64; ++at) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    bits.line_ends |= std::uint64_t{byte == '\n'} << at;
    bits.colons |= std::uint64_t{byte == ':'} << at;
    bits.hashes |= std::uint64_t{byte == '#'} << at;
    bits.below_blank |= std::uint64_t{byte < 0x20} << at;
    bits.high |= std::uint64_t{byte >= 0x80} << at;
  }
  return bits;
}

#endif

}  // namespace

void TextMarks::mark(std::string_view text) {
  text_ = text;
  found_.fill(nullptr);
  has_controls_ = has_high_bytes_ = false;
  // The last block may be empty, so that the end of the text lies in a block too.
  blocks_.resize(text.size() / block_size + 1);
  const std::size_t whole = text.size() / block_size;
  for (std::size_t i = 0; i < whole; ++i)
    blocks_[i] = mark_block(text.data() + i * block_size);
  std::array<char, block_size> rest;
  rest.fill(' ');
  std::memcpy(rest.data(), text.data() + whole * block_size, text.size() % block_size);
  blocks_[whole] = mark_block(rest.data());
}

TextMarks::Block TextMarks::mark_block(const char* bytes) {
  const Bits bits = bits_of(bytes);
  has_controls_ |= bits.below_blank != bits.line_ends;
  has_high_bytes_ |= bits.high != 0;
  return {bits.line_ends, bits.colons, bits.hashes};
}

}  // namespace notesdb
