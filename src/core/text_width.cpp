#include "core/text_width.h"

#include <algorithm>

#include <utf8proc.h>

namespace notesdb {

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

}  // namespace notesdb
