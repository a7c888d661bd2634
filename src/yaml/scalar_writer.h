// Scalar writer: how a value is spelled so that YAML 1.1 and YAML 1.2 readers read the same one.
//
// Text stays plain where no reader of either version takes it for anything else; `yes`, `012`,
// `12:30`, `2026-01-01` and `[[Link]]` are quoted. Quotes are double with JSON's escapes, unless
// the value had single ones before and they can hold the text. Everything stays on one line.
#pragma once

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
// A text as its column's files spell it: a date in the column's first format.
std::string written_text(const std::string& text, const Column* column);

std::string double_quoted(std::string_view text);

}  // namespace notesdb
