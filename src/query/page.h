// Page: which part of the matching rows an answer holds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/result.h"
#include "core/value.h"

namespace notesdb {

struct Page {
  std::uint64_t offset = 0;
  std::uint64_t limit = 50;  // 0: just the total

  // Of `total` things: how many come before the page, and how many it holds.
  std::uint64_t skipped(std::uint64_t total) const;
  std::uint64_t held(std::uint64_t total) const;
};

// Reads `limit` and `offset`; null and blank text leave the value in `otherwise`. "10" is 10;
// negative, fractional and other values are refused, naming the range, both at once.
Result<Page> parse_page(const Value& limit, const Value& offset, Page otherwise);

// A whole number from 0 to 2^53 out of an argument called `name`, by the same rules.
Result<std::uint64_t> parse_count(std::string_view name, const Value& given);

}  // namespace notesdb
