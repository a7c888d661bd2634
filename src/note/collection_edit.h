// Collection edit: a list or a map that became another one, with the bytes of every item and every
// member that stays.
//
// Adding or removing one item of a block list is a diff of one line; comments and blank lines
// between items stay where they are. Between brackets the items that stay keep their spelling and
// the list keeps its commas and spaces.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/column.h"
#include "core/value.h"
#include "yaml/node.h"
#include "yaml/writer.h"

namespace notesdb {

// A map that became another map:
//
//   - id: status             a new key, a changed value or a member that goes is a diff of its
//     options: [a, b]  # why own lines; comments, quotes and the order of the rest stay
//
// The lines of a nested map are a small note of their own: they lose their indentation, are edited
// as a note is, and get it back. So nothing here knows how a value is spelled.

// The lines of a block map as `after`. A key whose place another key took is renamed. Empty where
// the lines are not all indented as the first one, or no member would be left.
std::optional<std::string> edit_block_map(std::string_view block,
                                          const Map& after,
                                          const Column* column);

// The same for a map between braces, whose value is `before`.
std::optional<std::string> edit_flow_map(std::string_view text,
                                         const Map& before,
                                         const Map& after,
                                         const Column* column,
                                         NodeStyle style);

// The lines of a block list (`block`, whose values are `before`) as `after`. Empty if the lines
// are not one dash an item, or if no item would be left.
std::optional<std::string> edit_block_list(std::string_view block,
                                           const List& before,
                                           const List& after,
                                           const Column* column,
                                           const Layout& layout);

// The same for a list between brackets.
std::optional<std::string> edit_flow_list(std::string_view text,
                                          const List& before,
                                          const List& after,
                                          const Column* column,
                                          NodeStyle style);

// How far the dashes of a block list are indented; empty if it does not begin with one.
std::optional<std::size_t> list_indent_of(std::string_view block);

}  // namespace notesdb
