// Value writer: a whole value as the lines a field needs, in the style of the file around it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/column.h"
#include "core/value.h"
#include "yaml/node.h"

namespace notesdb {

// How a file writes what leaves a choice.
struct Layout {
  std::string_view line_ending = "\n";
  std::size_t list_indent = 2;  // of `- ` below its key: 0 or more
  std::size_t map_indent = 2;
  bool flow = false;                   // lists and maps between brackets
  NodeStyle style = NodeStyle::plain;  // of a scalar or of a list's items: the quotes it had
};

// What stands on the key's line after the colon, and the whole lines below it.
struct WrittenValue {
  std::string inline_text;
  std::string block;
};

// Maps and lists nested deeper than YamlLimits::depth do not read back; is_writable says so.
WrittenValue write_value(const Value& value, const Column* column, const Layout& layout);

// One item of a block list, its lines from the dash on; `prefix` is what stands before the item.
std::string write_item(const Value& item,
                       const Column* column,
                       std::string_view prefix,
                       const Layout& layout);
// A value between brackets, or a scalar that may stand there.
std::string write_flow(const Value& value, const Column* column, NodeStyle style);

// Whether no text or key within is anything but UTF-8 and nothing is nested too deep.
bool is_writable(const Value& value);

// The same value for every reader: 1 and 1.0, and a number whose digits a column without a type
// reads as text.
bool reads_back(const Value& intended, const Value& read);

}  // namespace notesdb
