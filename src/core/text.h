// Text as Unicode wants it handled: valid UTF-8, folded for comparison, ordered by nature, near
// to another text. Pure functions, the same in every locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notesdb {

// Whether the bytes are valid UTF-8 (no surrogates, no overlong forms).
bool is_utf8(std::string_view bytes);
// The same text with every invalid sequence replaced by U+FFFD.
std::string to_utf8(std::string_view bytes);

// Unicode simple case folding, code point by code point (CaseFolding.txt, status C and S).
std::string fold_case(std::string_view text);
// Canonical composition (NFC), as new file names are written.
std::string to_nfc(std::string_view text);

// Natural order: runs of digits compare as numbers, so row-9 comes before row-10; equal numbers
// with different zeros and everything else by code point. A total order: 0 only for equal texts.
int compare_natural(std::string_view a, std::string_view b);

// The choice nearest to what was given, if one is near enough to be meant (edit distance with
// transpositions, ignoring case, plus the synonyms people bring: equals -> eq, before -> lt).
std::optional<std::string> nearest_name(std::string_view given,
                                        const std::vector<std::string>& choices);
// The `most` nearest choices, best first.
std::vector<std::string> nearest_names(std::string_view given,
                                       const std::vector<std::string>& choices,
                                       std::size_t most);

// Letters and digits of any script kept, ASCII lower-cased, every other run one hyphen, trimmed:
// "My Tasks" -> "my-tasks". Empty if nothing is left.
std::string slug(std::string_view text);

// Text safe for a terminal: control characters (C0 but newline and tab, DEL, C1, bidi overrides)
// shown as escapes such as \x1b and \u202e; invalid UTF-8 as \xNN.
std::string escape_controls(std::string_view text);

}  // namespace notesdb
