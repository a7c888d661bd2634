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

struct Formula {
  std::string text;
  Node tree{};
  std::vector<Problem> problems{};
  bool is_readable = false;  // false: it has no tree, and no value
};

class Formulas {
 public:
  // Of two of one name the first counts.
  void add(std::string name, std::string text);
  // Finds what only all formulas together tell: names that are none, and circles.
  void check();

  const Formula* find(std::string_view name) const;
  const std::map<std::string, Formula, std::less<>>& all() const { return formulas_; }

 private:
  void check_names(Formula& formula) const;
  void check_circle(const std::string& name, Formula& formula) const;

  std::map<std::string, Formula, std::less<>> formulas_;
};

// What an expression uses: formulas, and properties of the note, each once.
struct Uses {
  std::vector<std::string> formulas{};
  std::vector<std::string> properties{};
  std::vector<std::string> members{};  // fields and functions asked of values
  bool is_fixed = true;                // false: it asks for the time, for chance or for other files
};
Uses uses_of(const Node& tree);

}  // namespace notesdb::expression
