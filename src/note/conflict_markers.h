// Conflict markers: the stretch of a text where a merge could not decide, as git writes it.
//
//   <<<<<<< ours
//   status: done
//   ||||||| base          this part may be missing
//   status: open
//   =======
//   status: blocked
//   >>>>>>> theirs
//
// A row with markers in its front matter stays readable: the fields inside are issues, the others
// answer. notesdb writes the base too, so that a person who resolves it sees what both started from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace notesdb {

// One marked stretch. Spans are bytes of the text that was searched and hold whole lines.
struct ConflictBlock {
  Span whole;  // with the markers
  Span ours;
  std::optional<Span> base;
  Span theirs;
  std::uint32_t line = 0;  // of the text, from 0
};

// All stretches in order. Markers that are not whole (no separator, no end) are none.
std::vector<ConflictBlock> find_conflicts(std::string_view text);

// Whether a line, with or without its line end, is one of the four markers.
bool is_conflict_marker(std::string_view line);

enum class ConflictSide { ours, base, theirs };

// The text with every marked stretch replaced by one side of it. A stretch without a base has an
// empty one.
std::string take_side(std::string_view text, ConflictSide side);

// The same for the stretches that `wanted` names; the others stay.
std::string take_side(std::string_view text,
                      ConflictSide side,
                      const std::function<bool(const ConflictBlock&)>& wanted);

struct ConflictLabels {
  std::string ours = "ours";
  std::string base = "base";
  std::string theirs = "theirs";
};

// The three versions between markers, each ended by `line_ending`.
std::string mark_conflict(std::string_view ours,
                          std::string_view base,
                          std::string_view theirs,
                          const ConflictLabels& labels,
                          std::string_view line_ending);

}  // namespace notesdb
