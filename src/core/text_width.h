// Text width: how many cells of a terminal a text takes. Wide letters take two, combining marks
// none, an emoji made of several code points is one picture of two.
#pragma once

#include <string>
#include <string_view>

namespace notesdb {

std::size_t text_width(std::string_view text);

// The beginning that fits `cells`, the last of them a "…" where something was cut.
std::string cut_to_width(std::string_view text, std::size_t cells);

}  // namespace notesdb
