// Functions: what expressions may call, in one table from which evaluation, checks, help and docs
// follow.
//
//   {"slice", Receiver::string, "start, end?", "The part from start up to before end.", slice_text}
//
// A new function is a row here. How many arguments it takes follows from how they are written:
// `end?` may be left out, `values...` stands for one or more.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expression/function.h"

namespace notesdb::expression {

// Ordered by name; functions of one name on different kinds stand together.
std::span<const Function> all_functions();
std::span<const Function> functions_named(std::string_view name);

// The names of global functions, or of those called on values.
enum class CallForm { global, method };
std::vector<std::string> function_names(CallForm form);

// Tables in markdown of every function and field, for docs.
std::string function_docs();

}  // namespace notesdb::expression
