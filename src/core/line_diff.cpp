#include "core/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace notesdb {

Lines split_lines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

std::string join_lines(const Lines& lines, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i)
    text += lines[i];
  return text;
}

namespace {

// Past this many changed lines the search for the shortest script costs more than it is worth.
constexpr std::size_t max_changes = 1500;

// The part of two texts between their common head and tail.
struct Middle {
  const Lines& a;
  const Lines& b;
  std::size_t head = 0;
  std::size_t tail = 0;

  std::size_t a_size() const { return a.size() - head - tail; }
  std::size_t b_size() const { return b.size() - head - tail; }
  bool same(std::size_t x, std::size_t y) const { return a[head + x] == b[head + y]; }
};

Middle find_middle(const Lines& a, const Lines& b) {
  Middle middle{a, b};
  std::size_t shorter = std::min(a.size(), b.size());
  while (middle.head < shorter && a[middle.head] == b[middle.head])
    ++middle.head;
  while (middle.tail < shorter - middle.head &&
         a[a.size() - 1 - middle.tail] == b[b.size() - 1 - middle.tail]) {
    ++middle.tail;
  }
  return middle;
}

// How far each diagonal reached with a given number of changes: Myers' V, kept for the way back.
class Frontier {
 public:
  explicit Frontier(std::size_t changes) : reach_(2 * changes + 3, 0), offset_(changes + 1) {}
  std::int64_t& at(std::int64_t diagonal) {
    return reach_[static_cast<std::size_t>(diagonal + static_cast<std::int64_t>(offset_))];
  }

 private:
  std::vector<std::int64_t> reach_;
  std::size_t offset_;
};

// Whether the furthest way to this diagonal comes from the one above: a line of b was added.
bool comes_from_above(Frontier& before, std::int64_t diagonal, std::int64_t changes) {
  if (diagonal == -changes) return true;
  if (diagonal == changes) return false;
  return before.at(diagonal - 1) < before.at(diagonal + 1);
}

std::int64_t start_of(Frontier& before, std::int64_t diagonal, std::int64_t changes) {
  return comes_from_above(before, diagonal, changes) ? before.at(diagonal + 1)
                                                     : before.at(diagonal - 1) + 1;
}

std::int64_t slide(const Middle& middle, std::int64_t x, std::int64_t diagonal) {
  auto a_size = static_cast<std::int64_t>(middle.a_size());
  auto b_size = static_cast<std::int64_t>(middle.b_size());
  while (x < a_size && x - diagonal < b_size &&
         middle.same(static_cast<std::size_t>(x), static_cast<std::size_t>(x - diagonal))) {
    ++x;
  }
  return x;
}

// The frontier before each number of changes, up to the one that reaches the end of both.
std::optional<std::vector<Frontier>> search(const Middle& middle) {
  auto a_size = static_cast<std::int64_t>(middle.a_size());
  auto b_size = static_cast<std::int64_t>(middle.b_size());
  std::vector<Frontier> trace;
  Frontier current(0);
  for (std::int64_t changes = 0; changes <= a_size + b_size; ++changes) {
    if (changes > static_cast<std::int64_t>(max_changes)) return std::nullopt;
    trace.push_back(current);
    Frontier next(static_cast<std::size_t>(changes) + 1);
    for (std::int64_t k = -changes; k <= changes; k += 2) {
      std::int64_t x = changes == 0 ? 0 : start_of(trace.back(), k, changes);
      next.at(k) = slide(middle, x, k);
      if (next.at(k) >= a_size && next.at(k) - k >= b_size) return trace;
    }
    current = std::move(next);
  }
  return trace;
}

void add_match(std::vector<Match>& matches, Match match) {
  if (match.length == 0) return;
  if (!matches.empty()) {
    Match& last = matches.back();
    if (last.a + last.length == match.a && last.b + last.length == match.b) {
      last.length += match.length;
      return;
    }
  }
  matches.push_back(match);
}

// The diagonal runs of the way back, last one first.
std::vector<Match> walk_back(const Middle& middle, std::vector<Frontier>& trace) {
  std::vector<Match> runs;
  auto x = static_cast<std::int64_t>(middle.a_size());
  auto y = static_cast<std::int64_t>(middle.b_size());
  for (auto changes = static_cast<std::int64_t>(trace.size()) - 1; changes > 0; --changes) {
    Frontier& before = trace[static_cast<std::size_t>(changes)];
    std::int64_t diagonal = x - y;
    std::int64_t start = start_of(before, diagonal, changes);
    runs.push_back({static_cast<std::size_t>(start),
                    static_cast<std::size_t>(start - diagonal),
                    static_cast<std::size_t>(x - start)});
    bool added = comes_from_above(before, diagonal, changes);
    x = added ? start : start - 1;
    y = x - (added ? diagonal + 1 : diagonal - 1);
  }
  runs.push_back({0, 0, static_cast<std::size_t>(x)});
  return runs;
}

}  // namespace

std::vector<Match> match_lines(const Lines& a, const Lines& b) {
  Middle middle = find_middle(a, b);
  std::vector<Match> matches;
  add_match(matches, {0, 0, middle.head});
  if (middle.a_size() > 0 && middle.b_size() > 0) {
    if (auto trace = search(middle)) {
      std::vector<Match> runs = walk_back(middle, *trace);
      for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
        add_match(matches, {run->a + middle.head, run->b + middle.head, run->length});
      }
    }
  }
  add_match(matches, {a.size() - middle.tail, b.size() - middle.tail, middle.tail});
  return matches;
}

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

// For each line of the base, the line of the other text that it is matched with, or none.
std::vector<std::size_t> partners(const Lines& base, const Lines& other) {
  std::vector<std::size_t> partner(base.size(), none);
  for (const Match& match : match_lines(base, other)) {
    for (std::size_t i = 0; i < match.length; ++i)
      partner[match.a + i] = match.b + i;
  }
  return partner;
}

bool equal_ranges(const Lines& a,
                  std::size_t a_begin,
                  std::size_t a_end,
                  const Lines& b,
                  std::size_t b_begin,
                  std::size_t b_end) {
  auto at = [](const Lines& lines, std::size_t i) {
    return lines.begin() + static_cast<std::ptrdiff_t>(i);
  };
  return std::equal(at(a, a_begin), at(a, a_end), at(b, b_begin), at(b, b_end));
}

// Walks the three texts and cuts them into hunks.
class Cutter {
 public:
  Cutter(const Lines& base, const Lines& ours, const Lines& theirs)
      : base_(base),
        ours_(ours),
        theirs_(theirs),
        in_ours_(partners(base, ours)),
        in_theirs_(partners(base, theirs)) {}

  std::vector<Hunk> cut() {
    while (base_at_ < base_.size() || ours_at_ < ours_.size() || theirs_at_ < theirs_.size()) {
      if (!take_stable()) take_changed();
    }
    return std::move(hunks_);
  }

 private:
  bool is_stable(std::size_t i) const {
    return i < base_.size() && in_ours_[i] != none && in_theirs_[i] != none;
  }

  // The lines from here on that all three share.
  bool take_stable() {
    std::size_t length = 0;
    while (is_stable(base_at_ + length) && in_ours_[base_at_ + length] == ours_at_ + length &&
           in_theirs_[base_at_ + length] == theirs_at_ + length) {
      ++length;
    }
    if (length == 0) return false;
    add(HunkKind::same, base_at_ + length, ours_at_ + length, theirs_at_ + length);
    return true;
  }

  // The lines up to the next one that all three share.
  void take_changed() {
    std::size_t next = base_at_;
    while (next < base_.size() && !is_stable(next))
      ++next;
    bool at_end = next == base_.size();
    std::size_t ours_end = at_end ? ours_.size() : in_ours_[next];
    std::size_t theirs_end = at_end ? theirs_.size() : in_theirs_[next];
    add(kind_of(next, ours_end, theirs_end), next, ours_end, theirs_end);
  }

  HunkKind kind_of(std::size_t base_end, std::size_t ours_end, std::size_t theirs_end) const {
    if (equal_ranges(ours_, ours_at_, ours_end, theirs_, theirs_at_, theirs_end)) {
      return HunkKind::both;
    }
    if (equal_ranges(base_, base_at_, base_end, theirs_, theirs_at_, theirs_end)) {
      return HunkKind::ours;
    }
    if (equal_ranges(base_, base_at_, base_end, ours_, ours_at_, ours_end)) {
      return HunkKind::theirs;
    }
    return HunkKind::conflict;
  }

  void add(HunkKind kind, std::size_t base_end, std::size_t ours_end, std::size_t theirs_end) {
    hunks_.push_back({kind, base_at_, base_end, ours_at_, ours_end, theirs_at_, theirs_end});
    base_at_ = base_end;
    ours_at_ = ours_end;
    theirs_at_ = theirs_end;
  }

  const Lines& base_;
  const Lines& ours_;
  const Lines& theirs_;
  std::vector<std::size_t> in_ours_;
  std::vector<std::size_t> in_theirs_;
  std::size_t base_at_ = 0;
  std::size_t ours_at_ = 0;
  std::size_t theirs_at_ = 0;
  std::vector<Hunk> hunks_;
};

}  // namespace

std::vector<Hunk> diff3(const Lines& base, const Lines& ours, const Lines& theirs) {
  return Cutter(base, ours, theirs).cut();
}

}  // namespace notesdb
