#include "database/diff.h"

#include <algorithm>
#include <vector>

#include "core/line_diff.h"

namespace notesdb {
namespace {

constexpr std::size_t context = 3;

// A stretch of lines that differs: [a_begin, a_end) of the first text becomes [b_begin, b_end).
struct Change {
  std::size_t a_begin = 0;
  std::size_t a_end = 0;
  std::size_t b_begin = 0;
  std::size_t b_end = 0;
};

std::vector<Change> changes_between(const Lines& a, const Lines& b) {
  std::vector<Change> changes;
  std::size_t at_a = 0;
  std::size_t at_b = 0;
  const auto close = [&](std::size_t a_end, std::size_t b_end) {
    if (at_a != a_end || at_b != b_end) changes.push_back({at_a, a_end, at_b, b_end});
  };
  for (const Match& match : match_lines(a, b)) {
    close(match.a, match.b);
    at_a = match.a + match.length;
    at_b = match.b + match.length;
  }
  close(a.size(), b.size());
  return changes;
}

void put_line(char mark, std::string_view line, std::string& out) {
  out += mark;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

void put_lines(
    char mark, const Lines& lines, std::size_t begin, std::size_t end, std::string& out) {
  for (std::size_t i = begin; i < end; ++i)
    put_line(mark, lines[i], out);
}

// "12,3", or "12" for one line; for none, the line before it.
std::string range(std::size_t begin, std::size_t end) {
  const std::size_t count = end - begin;
  const std::string first = std::to_string(count == 0 ? begin : begin + 1);
  return count == 1 ? first : first + "," + std::to_string(count);
}

// Changes [first, last) are near enough to share one hunk.
void put_hunk(const Lines& a,
              const Lines& b,
              const std::vector<Change>& changes,
              std::size_t first,
              std::size_t last,
              std::string& out) {
  const std::size_t head = std::min(context, changes[first].a_begin);
  const std::size_t tail = std::min(context, a.size() - changes[last - 1].a_end);
  out += "@@ -" + range(changes[first].a_begin - head, changes[last - 1].a_end + tail) + " +" +
         range(changes[first].b_begin - head, changes[last - 1].b_end + tail) + " @@\n";
  std::size_t at = changes[first].a_begin - head;
  for (std::size_t i = first; i < last; ++i) {
    put_lines(' ', a, at, changes[i].a_begin, out);
    put_lines('-', a, changes[i].a_begin, changes[i].a_end, out);
    put_lines('+', b, changes[i].b_begin, changes[i].b_end, out);
    at = changes[i].a_end;
  }
  put_lines(' ', a, at, at + tail, out);
}

}  // namespace

std::string unified_diff(std::string_view path,
                         const std::optional<std::string_view>& before,
                         const std::optional<std::string_view>& after) {
  const Lines a = split_lines(before.value_or(""));
  const Lines b = split_lines(after.value_or(""));
  const std::vector<Change> changes = changes_between(a, b);
  if (changes.empty() && before.has_value() == after.has_value()) return "";
  const std::string name(path);
  std::string out = "--- " + (before ? "a/" + name : "/dev/null") + "\n+++ " +
                    (after ? "b/" + name : "/dev/null") + "\n";
  for (std::size_t first = 0; first < changes.size();) {
    std::size_t last = first + 1;
    while (last < changes.size() &&
           changes[last].a_begin - changes[last - 1].a_end <= 2 * context) {
      ++last;
    }
    put_hunk(a, b, changes, first, last, out);
    first = last;
  }
  return out;
}

}  // namespace notesdb
