// EncodedValue: how the command line writes what tools write as JSON.
//
// Each function reads the words of one kind of argument and gives the value that a tool would get.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "core/result.h"
#include "core/schema.h"
#include "core/value.h"
#include "operations/operation.h"

namespace notesdb::cli {

// The flags of an argument, in the order of the help.
std::vector<Flag> flags_of(const Argument& argument, Effect effect);

// The value of an argument as its words spell it; nothing if there are none.
Result<std::optional<Value>> spelled_value(const Argument& argument,
                                           const Words& words,
                                           const Schema* schema);

// "status:select:open,done" -> {id, type, options}; "who:relation:people" -> {id, type, target}.
Value parse_column_word(const std::string& word);
// "sum:estimate=evenings" -> {function, field, as}.
Value parse_metric_word(const std::string& word);
// The value of `--set key=text`, by the column: a,b is a list where lists are held.
Value parse_field_text(const Column* column, const std::string& text);

}  // namespace notesdb::cli
