#include "expression/formulas.h"

#include <algorithm>
#include <set>

#include "core/error.h"

namespace notesdb::expression {

namespace {

template <typename Visit>
void for_each_node(const Node& node, const Visit& visit) {
  visit(node);
  for (const Node& child : node.children)
    for_each_node(child, visit);
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

bool depends_on_more(const Node& node) {
  const bool asks = node.kind == NodeKind::call &&
                    (node.name == "now" || node.name == "today" || node.name == "random" ||
                     node.name == "file" || node.name == "link");
  return asks || node.kind == NodeKind::file || node.kind == NodeKind::embedding ||
         (node.kind == NodeKind::method &&
          (node.name == "relative" || node.name == "asFile" || node.name == "linksTo"));
}

}  // namespace

Uses uses_of(const Node& tree) {
  Uses uses;
  for_each_node(tree, [&](const Node& node) {
    if (node.kind == NodeKind::formula) add_once(uses.formulas, node.name);
    if (node.kind == NodeKind::property) add_once(uses.properties, node.name);
    if (node.kind == NodeKind::member || node.kind == NodeKind::method)
      add_once(uses.members, node.name);
    if (depends_on_more(node)) uses.is_fixed = false;
  });
  return uses;
}

void Formulas::add(std::string name, std::string text) {
  Formula formula{.text = std::move(text)};
  Parsed parsed = parse_syntax(formula.text);
  formula.tree = std::move(parsed.tree);
  formula.problems = std::move(parsed.problems);
  formula.is_readable = parsed.is_tree;
  formulas_.emplace(std::move(name), std::move(formula));
}

void Formulas::check() {
  for (auto& [name, formula] : formulas_) {
    if (!formula.is_readable) continue;
    check_names(formula);
    check_circle(name, formula);
  }
}

void Formulas::check_names(Formula& formula) const {
  for_each_node(formula.tree, [&](const Node& node) {
    if (node.kind != NodeKind::formula || find(node.name) != nullptr) return;
    std::vector<std::string> names;
    for (const auto& entry : formulas_)
      names.push_back(entry.first);
    formula.problems.push_back(
        {node.position,
         unknown_name(ErrorCode::invalid_argument, "formula", node.name, names).message});
  });
}

// The way from a formula back to itself, by whatever others it uses.
void Formulas::check_circle(const std::string& name, Formula& formula) const {
  std::set<std::string, std::less<>> seen;
  std::vector<std::vector<std::string>> ways{{name}};
  while (!ways.empty()) {
    const std::vector<std::string> way = std::move(ways.back());
    ways.pop_back();
    const Formula* last = find(way.back());
    if (last == nullptr) continue;
    for (const std::string& used : uses_of(last->tree).formulas) {
      std::vector<std::string> longer = way;
      longer.push_back(used);
      if (used == name) {
        std::string told;
        for (const std::string& step : longer)
          told += (told.empty() ? "" : " -> ") + step;
        formula.problems.push_back({0, "the formula depends on itself: " + told});
        return;
      }
      if (seen.insert(used).second) ways.push_back(std::move(longer));
    }
  }
}

const Formula* Formulas::find(std::string_view name) const {
  const auto found = formulas_.find(name);
  return found == formulas_.end() ? nullptr : &found->second;
}

}  // namespace notesdb::expression
