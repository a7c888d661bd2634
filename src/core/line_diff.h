// Line diff: which lines of two texts are the same, and what three texts make together.
//
// The two-way part is Myers' greedy algorithm ("An O(ND) Difference Algorithm and Its
// Variations", 1986) over whole lines, after the common head and tail are set aside. The three-way
// part is diff3 as Khanna, Kunal and Pierce describe it ("A Formal Investigation of Diff3", 2007).
//
// Pure, and the same on every run. Lines keep their line ends, so that joining them gives the text
// back, byte for byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace notesdb {

using Lines = std::vector<std::string_view>;

// The lines of a text with their line ends; the last may have none. Views into the text.
Lines split_lines(std::string_view text);

// A run of lines that stand in both texts.
struct Match {
  std::size_t a = 0;  // first line in the first text, from 0
  std::size_t b = 0;  // first line in the second
  std::size_t length = 0;
};

// The runs that both have in common, in order, never touching in both texts at once. Where the
// texts are too different to be compared in good time (more than about 1,500 changed lines), the
// runs are those of the common head and tail alone: a correct answer, not the shortest.
std::vector<Match> match_lines(const Lines& a, const Lines& b);

enum class HunkKind {
  same,      // all three agree
  ours,      // only ours differs from the base
  theirs,    // only theirs differs from the base
  both,      // both made the same change
  conflict,  // both changed it, and not alike
};

// A stretch of the three texts; the ranges count lines, [begin, end).
struct Hunk {
  HunkKind kind = HunkKind::same;
  std::size_t base_begin = 0, base_end = 0;
  std::size_t ours_begin = 0, ours_end = 0;
  std::size_t theirs_begin = 0, theirs_end = 0;

  // Whether nothing of the base stands here: both only added lines.
  bool only_adds() const { return base_begin == base_end; }
};

// The three texts as a sequence of hunks that covers each of them wholly.
std::vector<Hunk> diff3(const Lines& base, const Lines& ours, const Lines& theirs);

// The lines [begin, end) as one text.
std::string join_lines(const Lines& lines, std::size_t begin, std::size_t end);

}  // namespace notesdb
