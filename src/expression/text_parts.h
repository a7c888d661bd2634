// Text parts: what expressions do with characters. A character is a code point.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace notesdb::expression {

std::size_t character_count(std::string_view text);
// Those from `begin` up to before `end`.
std::string characters(std::string_view text, std::size_t begin, std::size_t end);
std::string reversed(std::string_view text);
std::string lower_case(std::string_view text);
// The first letter of every word in upper case, the others in lower case.
std::string title_case(std::string_view text);
std::string_view trimmed(std::string_view text);
// Between separators, at most so many; an empty separator stands between all characters.
std::vector<std::string> split_text(std::string_view text,
                                    std::string_view separator,
                                    std::size_t max_pieces);

}  // namespace notesdb::expression
