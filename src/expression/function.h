// Function: one thing that expressions may call: its name, what it is called on, its arguments as
// they are written, and what it does.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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

}  // namespace notesdb::expression
