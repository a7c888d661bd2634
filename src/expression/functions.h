// Functions: what expressions may call and which fields values have, in one table each, from which
// evaluation, checks, help and docs follow.
//
//   {"slice", Receiver::string, "start, end?", "The part from start up to before end.", slice_text}
//
// A new function is a row here. How many arguments it takes follows from how they are written:
// `end?` may be left out, `values...` stands for one or more.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expression/value.h"

namespace notesdb::expression {

class Evaluation;
struct Node;

// What a function is called on.
enum class Receiver {
  global,
  any,
  date,
  string,
  number,
  list,
  link,
  file,
  object,
  regexp,
  duration
};

// As docs name it: "String"; "Global" and "Any" for those that belong to no kind.
std::string_view name_of(Receiver receiver);
// Empty for global and any.
std::optional<Kind> kind_of(Receiver receiver);

// One call: the value that it is made on, and arguments that are evaluated when they are asked for.
struct Call {
  Evaluation& evaluation;
  const Value& self;
  std::span<const Node> arguments;

  bool has(std::size_t i) const { return i < arguments.size(); }
  // Each throws Failure where the argument has no value of that kind. What was left out is null.
  Value value(std::size_t i) const;
  std::string text(std::size_t i) const;
  double number(std::size_t i) const;
};

struct Function {
  std::string_view name;
  Receiver receiver;
  std::string_view arguments;
  std::string_view summary;
  Value (*run)(const Call& call);

  std::size_t min_arguments() const;
  std::size_t max_arguments() const;
  // "slice(start, end?)"
  std::string signature() const;
  // Whether its first argument is worked out for every item: `value` and `index` mean something.
  bool takes_expression() const { return arguments.starts_with("expression"); }
};

struct Field {
  std::string_view name;
  Receiver receiver;
  std::string_view summary;
  Value (*get)(Evaluation& evaluation, const Value& self);
};

// Ordered by name; functions of one name on different kinds stand together.
std::span<const Function> all_functions();
std::span<const Function> functions_named(std::string_view name);
std::span<const Field> all_fields();
const Field* find_field(Receiver receiver, std::string_view name);

// The names of global functions, or of those called on values.
enum class CallForm { global, method };
std::vector<std::string> function_names(CallForm form);

// Tables in markdown of every function and field, for docs.
std::string function_docs();

}  // namespace notesdb::expression
