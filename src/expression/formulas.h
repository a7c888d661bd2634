// Formulas: named expressions that may use each other, as `formula.total`.
//
// All are read when they are added; what is wrong with one concerns that one. Immutable once they
// are checked, for several threads.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expression/syntax.h"

namespace notesdb::expression {

// What an expression uses: formulas, and properties of the note, each once.
struct Uses {
  std::vector<std::string> formulas{};
  std::vector<std::string> properties{};
  std::vector<std::string> members{};  // fields and functions asked of values
  bool is_fixed = true;                // false: it asks for the time, for chance or for other files
};

struct Formula {
  std::string text;
  Node tree{};
  std::vector<Problem> problems{};
  bool is_readable = false;  // false: it has no tree, and no value
  // When all are checked:
  Uses uses{};
  std::size_t number = 0;  // of all formulas, from 0
  std::size_t depth = 0;   // of its tree, with the deepest formulas in the place of their names
};

class Formulas {
 public:
  // Of two of one name the first counts.
  void add(std::string name, std::string text);
  // Plain names that are those of formulas mean them, for columns, which share their names.
  void take_plain_names();
  // Finds what only all formulas together tell: names that are none, and circles.
  void check();

  const Formula* find(std::string_view name) const;
  const std::map<std::string, Formula, std::less<>>& all() const { return formulas_; }
  // When they are checked: each after those that it uses.
  const std::vector<std::string>& in_order() const { return in_order_; }

 private:
  void check_names(Formula& formula) const;
  void put_in_order();

  std::map<std::string, Formula, std::less<>> formulas_;
  std::vector<std::string> in_order_;
};

// A node and all below it, from the left to the right.
template <typename Tree, typename Visit>
void for_each_node(Tree& node, const Visit& visit) {
  visit(node);
  for (auto& child : node.children)
    for_each_node(child, visit);
}

Uses uses_of(const Node& tree);

// An expression in which a property that had one name has another, written as it can be; as it is
// where it cannot be read.
std::string with_renamed_property(std::string_view text,
                                  std::string_view name,
                                  std::string_view new_name);

}  // namespace notesdb::expression
