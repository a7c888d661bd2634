#include "index/glob.h"

#include <algorithm>

namespace notesdb {
namespace {

constexpr std::size_t longest_pattern = 1000;
constexpr char32_t stray_byte = 0x110000;  // beyond Unicode: a byte that is not UTF-8

std::size_t sequence_length(unsigned char lead) {
  if (lead >= 0xF0) return 4;
  if (lead >= 0xE0) return 3;
  return lead >= 0xC0 ? 2 : 1;
}

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// One character from `at` on; a byte that begins none stands for itself, outside Unicode.
char32_t next_character(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = sequence_length(lead);
  const bool whole = length > 1 && at + length <= text.size() &&
                     std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                 text.begin() + static_cast<std::ptrdiff_t>(at + length),
                                 continues);
  if (!whole) {
    ++at;
    return lead < 0x80 ? lead : stray_byte + lead;
  }
  char32_t character = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    character = (character << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  at += length;
  return character;
}

std::u32string characters_of(std::string_view text) {
  std::u32string characters;
  for (std::size_t at = 0; at < text.size();)
    characters.push_back(next_character(text, at));
  return characters;
}

Error bad_glob(std::string_view pattern, std::string_view why) {
  return {ErrorCode::invalid_argument,
          "the glob '" + std::string(pattern) + "' " + std::string(why),
          Map{}};
}

}  // namespace

Result<Glob::Step> Glob::parse_set(const std::u32string& pattern, std::size_t& at) {
  Step step{StepKind::set};
  std::size_t i = at + 1;
  if (i < pattern.size() && (pattern[i] == U'!' || pattern[i] == U'^')) {
    step.negated = true;
    ++i;
  }
  for (bool first = true; i < pattern.size() && (first || pattern[i] != U']'); first = false) {
    const bool is_range =
        i + 2 < pattern.size() && pattern[i + 1] == U'-' && pattern[i + 2] != U']';
    step.ranges.push_back({pattern[i], is_range ? pattern[i + 2] : pattern[i]});
    i += is_range ? 3 : 1;
  }
  if (i >= pattern.size()) return Error{ErrorCode::invalid_argument, "", Map{}};
  at = i + 1;
  return step;
}

Result<Glob> Glob::parse(std::string_view pattern) {
  if (pattern.empty()) return bad_glob(pattern, "is empty");
  if (pattern.front() == '/') return bad_glob(pattern, "is absolute; write it from the database");
  if (pattern.size() > longest_pattern) return bad_glob(pattern, "is longer than 1,000 bytes");
  const std::u32string text = characters_of(pattern);
  Glob glob;
  for (std::size_t at = 0; at < text.size();) {
    const bool at_start = at == 0 || text[at - 1] == U'/';
    if (at_start && text.compare(at, 3, U"**/") == 0) {
      glob.steps_.push_back({StepKind::folders});
      at += 3;
    } else if (at_start && text.compare(at, std::u32string::npos, U"**") == 0) {
      glob.steps_.push_back({StepKind::everything});
      at += 2;
    } else if (text[at] == U'*') {
      glob.steps_.push_back({StepKind::star});
      at = std::min(text.find_first_not_of(U'*', at), text.size());
    } else if (text[at] == U'?') {
      glob.steps_.push_back({StepKind::any_character});
      ++at;
    } else if (text[at] == U'[') {
      auto set = parse_set(text, at);
      if (!set) return bad_glob(pattern, "opens a set with '[' that it does not close");
      glob.steps_.push_back(std::move(*set));
    } else {
      if (text[at] == U'\\' && at + 1 < text.size()) ++at;
      glob.steps_.push_back({StepKind::character, text[at]});
      ++at;
    }
  }
  return glob;
}

bool Glob::accepts(const Step& step, char32_t character) {
  if (step.kind == StepKind::character) return step.character == character;
  if (step.kind == StepKind::everything || step.kind == StepKind::folders) return true;
  if (character == U'/') return false;
  if (step.kind != StepKind::set) return true;
  const bool inside = std::any_of(step.ranges.begin(), step.ranges.end(), [&](Range range) {
    return range.first <= character && character <= range.last;
  });
  return inside != step.negated;
}

// A star, folders and everything may also match nothing, so what follows them waits too.
void Glob::enter(Active& active, std::size_t step) const {
  while (step < steps_.size() && !active[step]) {
    active[step] = true;
    const StepKind kind = steps_[step].kind;
    if (kind != StepKind::star && kind != StepKind::folders && kind != StepKind::everything) return;
    ++step;
  }
  if (step == steps_.size()) active[step] = true;
}

void Glob::advance(std::size_t step, char32_t character, Active& next) const {
  if (!accepts(steps_[step], character)) return;
  switch (steps_[step].kind) {
    case StepKind::star:
    case StepKind::everything: enter(next, step); break;
    case StepKind::folders:
      next[step] = true;
      if (character == U'/') enter(next, step + 1);
      break;
    default: enter(next, step + 1);
  }
}

Glob::Active Glob::run(std::string_view path) const {
  Active active(steps_.size() + 1);
  Active next(steps_.size() + 1);
  enter(active, 0);
  for (std::size_t at = 0; at < path.size();) {
    const char32_t character = next_character(path, at);
    next.assign(next.size(), false);
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      if (active[step]) advance(step, character, next);
    }
    active.swap(next);
  }
  return active;
}

bool Glob::matches(std::string_view path) const {
  return run(path)[steps_.size()];
}

bool Glob::may_match_below(std::string_view folder) const {
  const Active active = run(std::string(folder) + "/");
  return std::find(active.begin(), active.end(), true) != active.end();
}

}  // namespace notesdb
