// FileName: what the name of a note's file says.
//
//   2024-05-06-bar.md      date 2024-05-06, slug bar
//   about.fr.md            slug about, language fr
//   01-intro.mdx           order 1, slug intro
//   11.01 Title.md         id 11.01, title Title
//   a.b.c.md               parent a.b
//
// Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/value.h"

namespace notesdb {

// The endings that files of rows may have, those of markdown first, `.md` before all others.
std::span<const std::string_view> row_file_endings();
// The ending of a row's file with its dot; empty for any other file, and for a name that is nothing
// else. `.yaml` and `.yml` are data, all others markdown.
std::string_view row_file_ending(std::string_view path);
bool is_markdown_file(std::string_view path);

// The language at the end of a stem: "fr" of "about.fr", "pt-br" of "index.pt-br"; empty if the last
// part is no code of ISO 639-1.
std::string_view language_in(std::string_view stem);

// What the fields `_name.date`, `.slug`, `.lang`, `.order`, `.id`, `.title` and `.parent` hold for
// the id of a row; null where the name does not say it. `format` is that of the database's dated
// ids; empty: none.
Value name_field(std::string_view field, std::string_view row_id, std::string_view format);

}  // namespace notesdb
