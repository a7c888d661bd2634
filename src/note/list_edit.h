// List edit: a list that became another list, with the bytes of every item that stays.
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
#include "yaml/value_writer.h"

namespace notesdb {

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
