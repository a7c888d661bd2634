#include "core/line_diff.h"
#include "merge/merge.h"

namespace notesdb {

namespace {

// The last line of a text that ends without one gets a line end, so that additions after it are
// additions and not changes of it.
std::string with_last_newline(std::string_view text, std::string_view line_ending) {
  std::string ended(text);
  if (!ended.empty() && ended.back() != '\n') ended += line_ending;
  return ended;
}

bool ends_open(std::string_view text) {
  return !text.empty() && text.back() != '\n';
}

}  // namespace

MergedText merge_text(const ThreeTexts& texts,
                      const ConflictLabels& labels,
                      std::string_view line_ending) {
  if (texts.ours == texts.theirs || texts.base == texts.theirs) return {std::string(texts.ours)};
  if (texts.base == texts.ours) return {std::string(texts.theirs)};
  std::string base = with_last_newline(texts.base, line_ending);
  std::string ours = with_last_newline(texts.ours, line_ending);
  std::string theirs = with_last_newline(texts.theirs, line_ending);
  Lines base_lines = split_lines(base);
  Lines ours_lines = split_lines(ours);
  Lines theirs_lines = split_lines(theirs);
  MergedText merged;
  for (const Hunk& hunk : diff3(base_lines, ours_lines, theirs_lines)) {
    std::string mine = join_lines(ours_lines, hunk.ours_begin, hunk.ours_end);
    std::string other = join_lines(theirs_lines, hunk.theirs_begin, hunk.theirs_end);
    if (hunk.kind == HunkKind::theirs) {
      merged.text += other;
    } else if (hunk.kind != HunkKind::conflict) {
      merged.text += mine;
    } else if (hunk.only_adds()) {
      merged.text += mine + other;
      merged.joins_additions = true;
    } else {
      merged.clean = false;
      std::string before = join_lines(base_lines, hunk.base_begin, hunk.base_end);
      merged.text += mark_conflict(mine, before, other, labels, line_ending);
    }
  }
  // The last newline is a change like any other: it stays missing where a side took it away or
  // nobody added it.
  bool open = ends_open(texts.base) ? ends_open(texts.ours) && ends_open(texts.theirs)
                                    : ends_open(texts.ours) || ends_open(texts.theirs);
  if (open && merged.clean) {
    if (merged.text.ends_with('\n')) merged.text.pop_back();
    if (merged.text.ends_with('\r')) merged.text.pop_back();
  }
  return merged;
}

}  // namespace notesdb
