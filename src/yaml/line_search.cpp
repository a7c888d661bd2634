#include "yaml/line_search.h"

#include <bit>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace notesdb {
namespace {

#if defined(__SSE2__)

__m128i load(const char* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

// Where the sixteen line ends are looked at together, moves `at` to the first that has a wanted
// character after it, or to where fewer are left.
void skip_blocks(std::string_view text, std::size_t& at, char first, char other) {
  for (; at + 17 <= text.size(); at += 16) {
    const __m128i behind = load(text.data() + at + 1);
    const __m128i wanted = _mm_or_si128(_mm_cmpeq_epi8(behind, _mm_set1_epi8(first)),
                                        _mm_cmpeq_epi8(behind, _mm_set1_epi8(other)));
    const __m128i line_ends = _mm_cmpeq_epi8(load(text.data() + at), _mm_set1_epi8('\n'));
    const int hits = _mm_movemask_epi8(_mm_and_si128(line_ends, wanted));
    if (hits == 0) continue;
    at += static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(hits)));
    return;
  }
}

#else

void skip_blocks(std::string_view, std::size_t&, char, char) {}

#endif

}  // namespace

std::size_t find_line(std::string_view text, std::size_t at, char first, char other) {
  const auto begins = [&](std::size_t place) {
    return place < text.size() && (text[place] == first || text[place] == other);
  };
  if (begins(at)) return at;
  while (at < text.size()) {
    skip_blocks(text, at, first, other);
    const std::size_t line_end = text.find('\n', at);
    if (line_end == std::string_view::npos) break;
    at = line_end + 1;
    if (begins(at)) return at;
  }
  return std::string_view::npos;
}

}  // namespace notesdb
