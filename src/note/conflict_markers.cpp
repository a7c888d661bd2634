#include "note/conflict_markers.h"

#include <cstddef>
#include <cstdint>

namespace notesdb {

namespace {

constexpr std::size_t marker_length = 7;

// A marker is seven of one sign, alone on its line or followed by a blank and a label.
bool is_marker(std::string_view line, char sign) {
  if (line.size() < marker_length || line.front() != sign) return false;
  while (line.back() == '\n' || line.back() == '\r')
    line.remove_suffix(1);
  if (line.size() < marker_length) return false;
  if (line.find_first_not_of(sign) < marker_length) return false;
  return line.size() == marker_length || line[marker_length] == ' ';
}

struct MarkerLine {
  std::size_t number = 0;  // from 0
  Span span;               // with its end
  char sign = 0;
};

// Of nearly all notes none. What is no marker is only passed over.
std::vector<MarkerLine> marker_lines(std::string_view text) {
  std::vector<MarkerLine> markers;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t newline = text.find('\n', begin);
    const std::size_t end = newline == std::string_view::npos ? text.size() : newline + 1;
    const std::string_view line = text.substr(begin, end - begin);
    if (is_conflict_marker(line)) markers.push_back({number, {begin, end}, line.front()});
    begin = end;
  }
  return markers;
}

// Reads one stretch whose first marker is markers[at]; on success `at` is after its last one.
class BlockReader {
 public:
  explicit BlockReader(const std::vector<MarkerLine>& markers) : markers_(markers) {}

  std::optional<ConflictBlock> read(std::size_t& at) const {
    ConflictBlock block;
    block.line = static_cast<std::uint32_t>(markers_[at].number);
    std::size_t last = at;
    const auto side_until = [&](std::string_view signs) {
      const std::size_t begin = markers_[last].span.end;
      last = find_any(last + 1, signs);
      return last == markers_.size() ? Span() : Span{begin, markers_[last].span.begin};
    };
    block.ours = side_until("|=");
    if (last == markers_.size()) return std::nullopt;
    if (markers_[last].sign == '|') {
      block.base = side_until("=");
      if (last == markers_.size()) return std::nullopt;
    }
    block.theirs = side_until(">");
    if (last == markers_.size()) return std::nullopt;
    block.whole = {markers_[at].span.begin, markers_[last].span.end};
    at = last + 1;
    return block;
  }

 private:
  // The next marker of one of these signs. Another stretch beginning stops it.
  std::size_t find_any(std::size_t from, std::string_view signs) const {
    for (std::size_t i = from; i < markers_.size(); ++i) {
      if (signs.find(markers_[i].sign) != std::string_view::npos) return i;
      if (markers_[i].sign == '<') break;
    }
    return markers_.size();
  }

  const std::vector<MarkerLine>& markers_;
};

std::string ended(std::string_view text, std::string_view line_ending) {
  std::string result(text);
  if (!result.empty() && result.back() != '\n') result += line_ending;
  return result;
}

std::string_view side_of(std::string_view text, const ConflictBlock& block, ConflictSide side) {
  if (side == ConflictSide::ours) return slice(text, block.ours);
  if (side == ConflictSide::theirs) return slice(text, block.theirs);
  return block.base ? slice(text, *block.base) : std::string_view();
}

}  // namespace

bool is_conflict_marker(std::string_view line) {
  return is_marker(line, '<') || is_marker(line, '|') || is_marker(line, '=') ||
         is_marker(line, '>');
}

std::vector<ConflictBlock> find_conflicts(std::string_view text) {
  std::vector<ConflictBlock> blocks;
  if (text.find("<<<<<<<") == std::string_view::npos) return blocks;
  const std::vector<MarkerLine> markers = marker_lines(text);
  const BlockReader reader(markers);
  for (std::size_t at = 0; at < markers.size();) {
    std::optional<ConflictBlock> block;
    if (markers[at].sign == '<') block = reader.read(at);
    if (block) {
      blocks.push_back(*block);
    } else {
      ++at;
    }
  }
  return blocks;
}

std::string mark_conflict(std::string_view ours,
                          std::string_view base,
                          std::string_view theirs,
                          const ConflictLabels& labels,
                          std::string_view line_ending) {
  std::string end(line_ending);
  return "<<<<<<< " + labels.ours + end + ended(ours, end) + "||||||| " + labels.base + end +
         ended(base, end) + "=======" + end + ended(theirs, end) + ">>>>>>> " + labels.theirs + end;
}

std::string take_side(std::string_view text, ConflictSide side) {
  return take_side(text, side, [](const ConflictBlock&) { return true; });
}

std::string take_side(std::string_view text,
                      ConflictSide side,
                      const std::function<bool(const ConflictBlock&)>& wanted) {
  std::string result;
  std::size_t at = 0;
  for (const ConflictBlock& block : find_conflicts(text)) {
    if (!wanted(block)) continue;
    result += text.substr(at, block.whole.begin - at);
    result += side_of(text, block, side);
    at = block.whole.end;
  }
  return result += text.substr(at);
}

}  // namespace notesdb
