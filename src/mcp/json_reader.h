// read_json: a stranger's text to Json, or an Error that says why not.
//
// Nothing is built that could hurt later: length and depth are bounded, a duplicate key is
// refused (two readers would disagree about it), text is UTF-8, numbers are finite. A whole number
// beyond 64 bits arrives as text, so that no digit is lost. Never throws; needs no stack for depth.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/result.h"
#include "mcp/json.h"

namespace notesdb::mcp {

struct JsonLimits {
  std::size_t bytes = std::size_t{16} << 20;
  std::size_t depth = 64;
};

// Fails with limit_exceeded (length, depth) or invalid_argument (anything else).
Result<Json> read_json(std::string_view text, JsonLimits limits = {});

}  // namespace notesdb::mcp
