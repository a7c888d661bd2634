// Quoted scalars: what stands between quotes as the text it means.
//
// yaml-cpp is not asked: it reads "\_" as a byte that is no UTF-8 and refuses the surrogate pairs
// that JSON writers make, and it folds lines of nothing but spaces otherwise than YAML does.
#pragma once

#include <string>
#include <string_view>

namespace notesdb {

// `p` points at a backslash within double quotes. After its escape, or a null pointer if there
// is no such escape. A pair of surrogates is one escape, half a pair is none.
const char* skip_escape(const char* p, const char* end);

// The text of raw bytes whose every escape skip_escape accepts.
std::string decode_double_quoted(std::string_view raw);
// Two single quotes are one.
std::string decode_single_quoted(std::string_view raw);

// The same for text over several lines: a line end is a space, a blank line is a line end, spaces
// around line ends are nothing, and a backslash at the end of a line joins it with the next.
std::string fold_double_quoted(std::string_view raw);
std::string fold_single_quoted(std::string_view raw);

// Appends a code point as UTF-8.
void append_utf8(char32_t code_point, std::string& out);

}  // namespace notesdb
