// Search text: what a person types, as the full-text engine wants it.
//
//   lantern "open house" catal* -dropped
//
// All words, phrases and beginnings must occur, in any order and any field; what follows a '-' must
// not. Case and diacritics do not count. Nothing else has a meaning: no text is a syntax error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace notesdb {

// A MATCH expression of SQLite's FTS5. Fails with invalid_argument where nothing is asked for, or
// only what must not occur.
Result<std::string> match_expression(std::string_view text);

// The words, phrases and beginnings that must occur, each once, as they are asked for.
struct WantedText {
  std::string text;
  bool is_prefix = false;
  friend bool operator==(const WantedText&, const WantedText&) = default;
};
std::vector<WantedText> wanted_texts(std::string_view text);

}  // namespace notesdb
