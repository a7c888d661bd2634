#include "query/pattern.h"

#include <algorithm>

#include <re2/re2.h>

#include "core/text.h"

namespace notesdb {

namespace {

constexpr std::int64_t memory_budget = 1 << 20;
constexpr std::size_t most_characters = 1'000;

std::size_t count_characters(std::string_view utf8) {
  return static_cast<std::size_t>(std::ranges::count_if(
      utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

Result<Pattern> Pattern::parse(std::string_view text) {
  if (std::size_t length = count_characters(text); length > most_characters) {
    return Error{ErrorCode::invalid_value,
                 "the pattern has " + std::to_string(length) + " characters; at most " +
                     std::to_string(most_characters) + " are allowed"};
  }
  re2::RE2::Options options;
  options.set_max_mem(memory_budget);
  options.set_log_errors(false);
  auto program =
      std::make_shared<const re2::RE2>(re2::StringPiece(text.data(), text.size()), options);
  if (!program->ok()) {
    return Error{
        ErrorCode::invalid_value,
        "'" + std::string(text) + "' is not a pattern that RE2 reads: " + program->error()};
  }
  return Pattern(std::move(program));
}

bool Pattern::matches(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *program_);
}

bool operator==(const Pattern& a, const Pattern& b) {
  return a.program_ == b.program_ || a.program_->pattern() == b.program_->pattern();
}

}  // namespace notesdb
