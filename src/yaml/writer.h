// YAML writer: how a value is spelled so that YAML 1.1 and YAML 1.2 readers read the same one, and a
// whole value as the lines a field needs, in the style of the file around it.
//
// Text stays plain where no reader of either version takes it for anything else; `yes`, `012`,
// `12:30`, `2026-01-01` and `[[Link]]` are quoted. Quotes are double with JSON's escapes, unless
// the value had single ones before and they can hold the text. A scalar stays on one line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/column.h"
#include "core/value.h"
#include "yaml/node.h"

namespace notesdb {

// Where a scalar is written: a value of its own, an item between brackets, a key.
enum class ScalarPlace { block, flow, key };

// Whether plain text is read as this text by every reader.
bool is_safe_plain(std::string_view text, ScalarPlace place);

// Text in the quotes it had (`style`, where that can hold it), plain where that is safe.
std::string write_text(std::string_view text, NodeStyle style, ScalarPlace place);

// A scalar value. In a date column a date is plain, as everybody writes it. Null is "" in a block
// and "null" between brackets.
std::string write_scalar(const Value& value,
                         const Column* column,
                         NodeStyle style,
                         ScalarPlace place);

// A number as its column writes it, with as many decimals; empty where the column leaves that open
// or the number has more of them.
std::optional<std::string> write_decimals(const Value& value, const Column* column);
// The text that a number is in a file of a column with a format of its own: "12,50 €". Empty where
// it is written as a number.
std::optional<std::string> written_number(const Value& value, const Column* column);
// A text as its column's files spell it: a date in the column's first format.
std::string written_text(const std::string& text, const Column* column);

std::string double_quoted(std::string_view text);

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
