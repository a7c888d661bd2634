#include "expression/regexp.h"

#include <array>

#include <re2/re2.h>

#include "expression/failure.h"

namespace notesdb::expression {

namespace {

constexpr std::size_t max_pattern_bytes = 1'000;
constexpr int max_instructions = 10'000;
constexpr std::size_t max_groups = 10;

// What RE2 refuses because it would take time out of proportion, by the name that people know.
std::string refused_part(std::string_view pattern) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> parts{{
      {"(?=", "look-ahead"},
      {"(?!", "look-ahead"},
      {"(?<=", "look-behind"},
      {"(?<!", "look-behind"},
  }};
  for (const auto& [written, name] : parts)
    if (pattern.find(written) != std::string_view::npos)
      return std::string(name) + " '" + std::string(written) + "' is not supported";
  for (char digit = '1'; digit <= '9'; ++digit)
    if (pattern.find(std::string("\\") + digit) != std::string_view::npos)
      return std::string("the reference back '\\") + digit + "' is not supported";
  return "";
}

// JavaScript names groups (?<name>...), this RE2 (?P<name>...).
std::string with_named_groups(std::string_view pattern) {
  std::string text;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    text += pattern[at];
    if (pattern[at] == '\\' && at + 1 < pattern.size())
      text += pattern[++at];
    else if (pattern.substr(at).starts_with("(?<")) {
      text += "?P";
      ++at;
    }
  }
  return text;
}

struct Groups {
  std::array<re2::StringPiece, max_groups> found;
  int count = 1;
};

bool match_at(const re2::RE2& program, std::string_view text, std::size_t at, Groups& groups) {
  groups.count = std::min(program.NumberOfCapturingGroups() + 1, static_cast<int>(max_groups));
  return program.Match(re2::StringPiece(text.data(), text.size()),
                       at,
                       text.size(),
                       re2::RE2::UNANCHORED,
                       groups.found.data(),
                       groups.count);
}

std::string expanded(std::string_view replacement, const Groups& groups) {
  std::string text;
  for (std::size_t at = 0; at < replacement.size(); ++at) {
    const char next = at + 1 < replacement.size() ? replacement[at + 1] : '\0';
    const int group = next == '&' ? 0 : next >= '1' && next <= '9' ? next - '0' : -1;
    if (replacement[at] == '$' && next == '$') {
      text += replacement[++at];
    } else if (replacement[at] == '$' && group >= 0 && group < groups.count) {
      const re2::StringPiece& found = groups.found[static_cast<std::size_t>(group)];
      text.append(found.data() == nullptr ? "" : found.data(), found.size());
      ++at;
    } else {
      text += replacement[at];
    }
  }
  return text;
}

// Behind an empty match the search goes on at the next character.
std::size_t next_character(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U)
    ++at;
  return at;
}

}  // namespace

Regexp::Regexp(std::string_view pattern, std::string_view flags)
    : pattern_(pattern), flags_(flags) {
  if (pattern.size() > max_pattern_bytes)
    throw Failure("pattern is longer than 1000 characters", ErrorCode::limit_exceeded);
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(std::int64_t{8} << 20);
  std::string inner;
  for (const char flag : flags) {
    if (flag == 'g')
      is_global_ = true;
    else if (flag == 'i')
      options.set_case_sensitive(false);
    else if (flag == 'm' || flag == 's')
      inner += flag;
    else if (flag != 'u')
      throw Failure(std::string("unknown flag '") + flag + "' of a pattern; flags: g, i, m, s, u");
  }
  const std::string text = (inner.empty() ? "" : "(?" + inner + ")") + with_named_groups(pattern);
  program_ = std::make_shared<const re2::RE2>(text, options);
  if (!program_->ok()) {
    const std::string known = refused_part(pattern);
    throw Failure("invalid pattern /" + std::string(pattern) +
                  "/: " + (known.empty() ? program_->error() : known));
  }
  if (program_->ProgramSize() > max_instructions)
    throw Failure("pattern compiles to more than 10000 instructions", ErrorCode::limit_exceeded);
}

bool Regexp::matches(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *program_);
}

std::string Regexp::replaced(std::string_view text,
                             std::string_view replacement,
                             std::size_t max_bytes) const {
  std::string result;
  std::size_t copied = 0;
  Groups groups;
  for (std::size_t at = 0; at <= text.size() && match_at(*program_, text, at, groups);) {
    const auto begin = static_cast<std::size_t>(groups.found[0].data() - text.data());
    const std::size_t end = begin + groups.found[0].size();
    result += text.substr(copied, begin - copied);
    result += expanded(replacement, groups);
    if (result.size() > max_bytes)
      throw Failure("replace() makes too long a text", ErrorCode::limit_exceeded);
    copied = end;
    if (!is_global_) break;
    at = end > begin ? end : next_character(text, end);
  }
  result += text.substr(copied);
  return result;
}

std::vector<std::string> Regexp::split(std::string_view text, std::size_t max_pieces) const {
  std::vector<std::string> pieces;
  std::size_t copied = 0;
  Groups groups;
  for (std::size_t at = 0; at < text.size() && match_at(*program_, text, at, groups);) {
    const auto begin = static_cast<std::size_t>(groups.found[0].data() - text.data());
    const std::size_t end = begin + groups.found[0].size();
    if (begin >= text.size()) break;
    if (end == copied) {
      at = next_character(text, at);
      continue;
    }
    pieces.emplace_back(text.substr(copied, begin - copied));
    for (int i = 1; i < groups.count; ++i)
      pieces.push_back(groups.found[static_cast<std::size_t>(i)].as_string());
    if (pieces.size() >= max_pieces) break;
    copied = end;
    at = end > begin ? end : next_character(text, end);
  }
  pieces.emplace_back(text.substr(copied));
  if (pieces.size() > max_pieces) pieces.resize(max_pieces);
  return pieces;
}

std::size_t Regexp::cost(std::size_t text_bytes) const {
  constexpr std::size_t bytes_per_step = 256;
  return 1 + text_bytes * static_cast<std::size_t>(program_->ProgramSize()) / bytes_per_step;
}

}  // namespace notesdb::expression
