// Syntax: an expression as a tree, with every name and function looked up.
//
//   if(status == "done", price * 2, null)
//
// Operators bind as in JavaScript: || && == != < > <= >= + - * / % ! and the sign, then calls,
// members and indexes. A tree holds no text of the expression but names and literals; positions
// are bytes from its begin. It is immutable: several threads may evaluate it at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "expression/functions.h"
#include "expression/value.h"

namespace notesdb::expression {

enum class NodeKind {
  literal,    // value
  list,       // children
  property,   // name: of the note
  note,       // all properties of the note
  file,       // the file itself
  formula,    // name: another formula
  embedding,  // `this`
  item,       // `value` of filter, map and reduce
  index,      // `index`
  carried,    // `acc`
  member,     // name of children[0]
  element,    // children[0][children[1]]
  call,       // functions with children as arguments
  method,     // functions of children[0] with the other children as arguments
  negative,   // -children[0]
  inverse,    // !children[0]
  binary,     // children[0] operation children[1]
};

enum class Operation {
  either,
  both,
  equal,
  unequal,
  less,
  greater,
  at_most,
  at_least,
  add,
  subtract,
  multiply,
  divide,
  remainder,
};

std::string_view sign_of(Operation operation);

struct Node {
  NodeKind kind = NodeKind::literal;
  Operation operation = Operation::add;
  std::uint32_t position = 0;
  std::size_t depth = 1;  // of the tree below, itself included
  std::string name{};
  Value value{};
  std::span<const Function> functions{};  // all of its name
  std::vector<Node> children{};
};

// What is wrong at a place of an expression.
struct Problem {
  std::uint32_t position = 0;
  std::string message;
};

// A tree, or the first thing that is wrong with the text.
struct Parsed {
  Node tree;
  std::vector<Problem> problems{};  // also of a tree: functions that do not exist
  bool is_tree = true;
};

constexpr std::size_t max_expression_bytes = std::size_t{64} << 10;
constexpr std::size_t max_nesting = 200;     // of parentheses, brackets and calls
constexpr std::size_t max_tree_depth = 500;  // of operators in a row too

Parsed parse_syntax(std::string_view text);

}  // namespace notesdb::expression
