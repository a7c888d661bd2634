// TextMarks: where the few bytes that shape a text of YAML stand, found for 64 bytes together.
//
//   marks.mark(text);
//   for (const char* p = begin; (p = marks.next(Mark::colon, p)) < end; ++p) ...
//
// A bit for each byte of the text says whether it is a line end, one whether it is a colon, one
// whether it is a hash. The places asked for go forward: a mark that was found is remembered, so
// that a text without hashes is searched for one once.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace notesdb {

enum class Mark : std::uint8_t { line_end, colon, hash };

class TextMarks {
 public:
  // The text must live as long as it is asked about.
  void mark(std::string_view text);

  // The first such byte at `place` or behind it; the end of the text if there is none. No place
  // asked for lies before an earlier one of the same mark.
  const char* next(Mark kind, const char* place) {
    const char*& found = found_[static_cast<std::size_t>(kind)];
    if (found < place) found = search(kind, place);
    return found;
  }

  // Whether there are bytes below 0x20 that are no line ends, and bytes from 0x80 on.
  bool has_controls() const { return has_controls_; }
  bool has_high_bytes() const { return has_high_bytes_; }

 private:
  static constexpr std::size_t block_size = 64;
  static constexpr std::size_t kinds = 3;
  using Block = std::array<std::uint64_t, kinds>;

  Block mark_block(const char* bytes);
  const char* search(Mark kind, const char* place) const {
    const auto at = static_cast<std::size_t>(place - text_.data());
    std::size_t block = at / block_size;
    std::uint64_t bits = blocks_[block][static_cast<std::size_t>(kind)];
    bits &= ~std::uint64_t{0} << (at % block_size);
    while (bits == 0) {
      if (++block == blocks_.size()) return text_.data() + text_.size();
      bits = blocks_[block][static_cast<std::size_t>(kind)];
    }
    return text_.data() + block * block_size + std::countr_zero(bits);
  }

  std::string_view text_;
  std::vector<Block> blocks_;
  std::array<const char*, kinds> found_{};
  bool has_controls_ = false;
  bool has_high_bytes_ = false;
};

}  // namespace notesdb
