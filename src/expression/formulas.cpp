#include "expression/formulas.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "core/dependency_order.h"
#include "core/error.h"

namespace notesdb::expression {

namespace {

// Names in the order in which they come first.
class Names {
 public:
  explicit Names(std::vector<std::string>& names) : names_(names) {}
  void add(const std::string& name) {
    if (known_.insert(name).second) names_.push_back(name);
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_set<std::string> known_;
};

bool depends_on_more(const Node& node) {
  const bool asks = node.kind == NodeKind::call &&
                    (node.name == "now" || node.name == "today" || node.name == "random" ||
                     node.name == "file" || node.name == "link");
  return asks || node.kind == NodeKind::file || node.kind == NodeKind::embedding ||
         (node.kind == NodeKind::method &&
          (node.name == "relative" || node.name == "asFile" || node.name == "linksTo"));
}

}  // namespace

namespace {

bool is_plain_name(std::string_view name) {
  const Parsed parsed = parse_syntax(name);
  return parsed.is_tree && parsed.tree.kind == NodeKind::property && parsed.tree.name == name &&
         name != "value" && name != "index" && name != "acc";
}

std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

}  // namespace

std::string with_renamed_property(std::string_view text,
                                  std::string_view name,
                                  std::string_view new_name) {
  const Parsed parsed = parse_syntax(text);
  std::vector<std::uint32_t> places;
  for_each_node(parsed.tree, [&](const Node& node) {
    const bool is_named = node.kind == NodeKind::property || node.kind == NodeKind::formula;
    if (is_named && node.name == name) places.push_back(node.position);
  });
  std::ranges::sort(places, std::greater());
  std::string renamed(text);
  for (const std::size_t place : places) {
    if (renamed[place] == '[') {
      const std::size_t begin = renamed.find_first_of("\"'", place);
      const std::size_t end = renamed.find(']', begin);
      renamed.replace(place, end + 1 - place, "[" + quoted(new_name) + "]");
      continue;
    }
    const std::size_t before = renamed.find_last_not_of(" \t\r\n", place == 0 ? 0 : place - 1);
    const bool is_member = place > 0 && before != std::string::npos && renamed[before] == '.';
    if (is_plain_name(new_name)) {
      renamed.replace(place, name.size(), new_name);
    } else if (is_member) {
      renamed.replace(before, place + name.size() - before, "[" + quoted(new_name) + "]");
    } else {
      renamed.replace(place, name.size(), "note[" + quoted(new_name) + "]");
    }
  }
  return renamed;
}

Uses uses_of(const Node& tree) {
  Uses uses;
  Names formulas(uses.formulas);
  Names properties(uses.properties);
  Names members(uses.members);
  for_each_node(tree, [&](const Node& node) {
    if (node.kind == NodeKind::formula) formulas.add(node.name);
    if (node.kind == NodeKind::property) properties.add(node.name);
    if (node.kind == NodeKind::member || node.kind == NodeKind::method) members.add(node.name);
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

void Formulas::take_plain_names() {
  for (auto& entry : formulas_) {
    for_each_node(entry.second.tree, [&](Node& node) {
      if (node.kind == NodeKind::property && find(node.name) != nullptr)
        node.kind = NodeKind::formula;
    });
  }
}

void Formulas::check() {
  std::size_t number = 0;
  for (auto& [name, formula] : formulas_) {
    formula.number = number++;
    formula.uses = uses_of(formula.tree);
    if (formula.is_readable) check_names(formula);
  }
  put_in_order();
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

// What is on the way from a formula back to itself depends on itself.
void Formulas::put_in_order() {
  std::vector<std::string> names;
  std::unordered_map<std::string_view, std::size_t> places;
  for (const auto& entry : formulas_) {
    places.emplace(entry.first, names.size());
    names.push_back(entry.first);
  }
  const auto uses = [&](std::size_t formula) {
    std::vector<std::size_t> used;
    for (const std::string& name : find(names[formula])->uses.formulas)
      if (const auto place = places.find(name); place != places.end())
        used.push_back(place->second);
    return used;
  };
  const auto tell = [&](std::span<const std::size_t> way) {
    std::vector<std::string> told;
    for (const std::size_t formula : way)
      told.push_back(names[formula]);
    for (std::size_t i = 0; i < std::min<std::size_t>(way.size(), 20); ++i) {
      auto& problems = formulas_.find(told.front())->second.problems;
      const std::string message = "the formula depends on itself: " + circle_text(told);
      const auto is_told = [](const Problem& problem) {
        return problem.message.starts_with("the formula depends on itself");
      };
      if (std::ranges::none_of(problems, is_told)) problems.push_back({0, message});
      std::ranges::rotate(told, told.begin() + 1);
    }
  };
  DependencyOrder order;
  for (std::size_t formula = 0; formula < names.size(); ++formula)
    order.visit(formula, uses, tell);
  for (const std::size_t formula : order.order()) {
    in_order_.push_back(names[formula]);
    Formula& placed = formulas_.find(names[formula])->second;
    std::size_t below = 0;
    for (const std::string& name : placed.uses.formulas)
      if (const Formula* used = find(name)) below = std::max(below, used->depth);
    placed.depth = placed.tree.depth + below;
  }
}

const Formula* Formulas::find(std::string_view name) const {
  const auto found = formulas_.find(name);
  return found == formulas_.end() ? nullptr : &found->second;
}

}  // namespace notesdb::expression
