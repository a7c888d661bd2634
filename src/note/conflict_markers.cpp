#include "note/conflict_markers.h"

#include <algorithm>

#include "core/line_diff.h"

namespace notesdb {

namespace {

constexpr std::size_t marker_length = 7;

// A marker is seven of one sign, alone on its line or followed by a blank and a label.
bool is_marker(std::string_view line, char sign) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r'))
    line.remove_suffix(1);
  if (line.size() < marker_length) return false;
  if (line.substr(0, marker_length) != std::string(marker_length, sign)) return false;
  return line.size() == marker_length || line[marker_length] == ' ';
}

// Reads one stretch whose first marker is lines[at]; on success `at` is after its last one.
class BlockReader {
 public:
  BlockReader(const Lines& lines, std::string_view text) : lines_(lines), text_(text) {}

  std::optional<ConflictBlock> read(std::size_t& at) const {
    std::size_t next = at + 1;
    ConflictBlock block;
    block.line = static_cast<std::uint32_t>(at);
    std::size_t ours_end = find_any(next, "|=");
    if (ours_end == lines_.size()) return std::nullopt;
    block.ours = span(next, ours_end);
    next = ours_end + 1;
    if (is_marker(lines_[ours_end], '|')) {
      std::size_t base_end = find_any(next, "=");
      if (base_end == lines_.size()) return std::nullopt;
      block.base = span(next, base_end);
      next = base_end + 1;
    }
    std::size_t theirs_end = find_any(next, ">");
    if (theirs_end == lines_.size()) return std::nullopt;
    block.theirs = span(next, theirs_end);
    block.whole = span(at, theirs_end + 1);
    at = theirs_end + 1;
    return block;
  }

 private:
  // The next line that is a marker of one of these signs. Another stretch beginning stops it.
  std::size_t find_any(std::size_t from, std::string_view signs) const {
    for (std::size_t i = from; i < lines_.size(); ++i) {
      if (std::ranges::any_of(signs, [&](char sign) { return is_marker(lines_[i], sign); })) {
        return i;
      }
      if (is_marker(lines_[i], '<')) break;
    }
    return lines_.size();
  }

  std::size_t offset(std::size_t line) const {
    if (line == lines_.size()) return text_.size();
    return static_cast<std::size_t>(lines_[line].data() - text_.data());
  }

  Span span(std::size_t begin, std::size_t end) const { return {offset(begin), offset(end)}; }

  const Lines& lines_;
  std::string_view text_;
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
  Lines lines = split_lines(text);
  BlockReader reader(lines, text);
  for (std::size_t at = 0; at < lines.size();) {
    std::optional<ConflictBlock> block;
    if (is_marker(lines[at], '<')) block = reader.read(at);
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
