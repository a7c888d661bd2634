// Result kind: what kind of values an expression gives, as far as its text tells.
//
//   price * quantity > 100     boolean
//   if(due, due + "1w")        date
//
// What is known of the note's properties is the caller's to say. Where kinds mix, or only the data
// can tell, there is none.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "expression/syntax.h"

namespace notesdb::expression {

// Kind::null is what gives no value at all.
using ResultKind = std::optional<Kind>;

// What is said of properties and formulas by their names.
using KindOfName = std::function<ResultKind(const Node& name)>;

ResultKind result_kind(const Node& tree, const KindOfName& kind_of_name);

// Of a function by its name, whatever it is called on: those that give back what they were given,
// and `reduce`, have none.
ResultKind result_kind_of_function(std::string_view name);

}  // namespace notesdb::expression
