// Link: how notes name other notes.
//
//   [[row-001]]   [[row-001#Heading|alias]]   [text](row-001.md)   [text](../people/ann%20b.md#top)
//
// Only a text that is one link from end to end is one here; links inside a body are found by
// others. Web addresses are not links to rows.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace notesdb {

struct Link {
  std::string target;  // as a path without the ending .md: row-001, people/ann, ../people/ann
  std::string anchor;  // the heading or block after '#'; empty if none
  std::string text;    // what a reader sees: the alias or the text; empty if none
};

std::optional<Link> parse_link(std::string_view text);

// "ann b" for "ann%20b"; what is no escape stays.
std::string percent_decoded(std::string_view text);

// The id of the row that a relation's value names, for a relation to `database`: row-001 for
// "row-001", "people/row-001" and every link to it. A text that names none of them is returned as
// it is.
std::string row_named_by(std::string_view text, std::string_view database);

// "tasks" and "../people/./ann" are "people/ann"; a path that begins with '/' counts from the root.
// Empty where it climbs over the root.
std::string resolve_path(std::string_view folder, std::string_view path);

}  // namespace notesdb
