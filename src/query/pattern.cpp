#include "query/pattern.h"

#include <algorithm>

#include <re2/re2.h>

#include "core/budget.h"
#include "core/text.h"

namespace notesdb {

namespace {

// Of what is compiled and of the states that are remembered while matching.
constexpr std::int64_t max_memory = 8 << 20;
constexpr std::size_t max_characters = 1'000;
constexpr int max_instructions = 10'000;
// Where its states do not fit in memory, RE2 tries every instruction at every byte, and cannot be
// interrupted. A piece is short enough for that.
constexpr std::size_t max_steps = std::size_t{8} << 20U;
constexpr std::size_t min_piece_bytes = std::size_t{8} << 10U;

std::size_t count_characters(std::string_view utf8) {
  return static_cast<std::size_t>(std::ranges::count_if(
      utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

Error too_large(std::string_view text) {
  return {ErrorCode::invalid_value,
          "the pattern '" + std::string(text) + "' is too large: it compiles to more than " +
              std::to_string(max_instructions) +
              " instructions; use * or + for counted repetitions such as {0,100}",
          Map{}};
}

}  // namespace

Result<Pattern> Pattern::parse(std::string_view text) {
  if (std::size_t length = count_characters(text); length > max_characters) {
    return Error{ErrorCode::invalid_value,
                 "the pattern has " + std::to_string(length) + " characters; the limit is " +
                     std::to_string(max_characters)};
  }
  re2::RE2::Options options;
  options.set_max_mem(max_memory);
  options.set_log_errors(false);
  auto program =
      std::make_shared<const re2::RE2>(re2::StringPiece(text.data(), text.size()), options);
  if (program->error_code() == re2::RE2::ErrorPatternTooLarge) return too_large(text);
  if (!program->ok()) {
    return Error{
        ErrorCode::invalid_value,
        "'" + std::string(text) + "' is not a pattern that RE2 reads: " + program->error()};
  }
  const int instructions = std::max(1, program->ProgramSize());
  if (instructions > max_instructions) return too_large(text);
  const std::size_t piece = max_steps / static_cast<std::size_t>(instructions);
  return Pattern(std::move(program), std::max(piece, min_piece_bytes));
}

bool Pattern::matches(std::string_view text) const {
  const re2::StringPiece whole(text.data(), text.size());
  if (text.size() <= piece_bytes_) return re2::RE2::PartialMatch(whole, *program_);
  for (std::size_t begin = 0;; begin += piece_bytes_ / 2) {
    Budget::look();
    const std::size_t end = std::min(begin + piece_bytes_, text.size());
    // What stands around the piece is known to ^, $ and \b.
    if (program_->Match(whole, begin, end, re2::RE2::UNANCHORED, nullptr, 0)) return true;
    if (end == text.size()) return false;
  }
}

bool operator==(const Pattern& a, const Pattern& b) {
  return a.program_ == b.program_ || a.program_->pattern() == b.program_->pattern();
}

}  // namespace notesdb
