#include "bases/base_file.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/text.h"
#include "expression/fields.h"
#include "note/note.h"

namespace notesdb::bases {

using expression::NodeKind;
using expression::Problem;

// The value of a key as YAML has it, to be told from the node of an expression.
using YamlNode = notesdb::Node;

namespace {

// Functions of early versions, and how the same is written today.
struct OldForm {
  std::string_view name;
  std::string_view today;
};

constexpr std::array<OldForm, 9> old_forms{{
    {"taggedWith", "file.hasTag(\"tag\")"},
    {"linksTo", "file.hasLink(\"note\")"},
    {"inFolder", "file.inFolder(\"folder\")"},
    {"empty", "property.isEmpty()"},
    {"not", "!condition"},
    {"dur", "duration(\"1d\")"},
    {"dateBefore", "date < other"},
    {"dateAfter", "date > other"},
    {"concat", "first + second"},
}};

std::string with_today(std::string message) {
  for (const OldForm& form : old_forms) {
    const std::string told = "'" + std::string(form.name) + "'";
    if (message.find("function " + told) == std::string::npos) continue;
    return "unknown function " + told + "; today it is written " + std::string(form.today);
  }
  return message;
}

class Reader {
 public:
  explicit Reader(BaseFile& base) : base_(base) {}

  void read(const Note& note) {
    for (const NoteField& field : note.fields())
      if (field.readable) read_key(field.key, field.node);
    for (const Issue& issue : note.issues())
      base_.issues.push_back(issue);
    base_.formulas.check();
    tell_formulas(base_.formulas);
    tell_formulas(base_.summaries);
    check_properties();
    std::ranges::stable_sort(
        base_.issues, {}, [](const Issue& issue) { return std::pair(issue.line, issue.column); });
  }

 private:
  // A key without a value says nothing; the app leaves such behind.
  void read_key(const std::string& key, const YamlNode& node) {
    if (node.is_null()) return;
    if (key == "filters")
      base_.filter = read_filter(node);
    else if (key == "formulas")
      read_formulas(node, base_.formulas);
    else if (key == "summaries")
      read_formulas(node, base_.summaries);
    else if (key == "properties")
      read_properties(node);
    else if (key == "views")
      read_views(node);
    else if (key == "display")
      add(node, "'display' is of an early version; write 'properties' with 'displayName'");
  }

  void add(const YamlNode& node, std::string message, std::uint32_t offset = 0) {
    base_.issues.push_back({.path = {},
                            .line = node.line,
                            .column = node.column_at(offset),
                            .rule = "base",
                            .message = std::move(message),
                            .field = {}});
  }

  void add(const YamlNode& node, const Problem& problem) {
    add(node, with_today(problem.message), problem.position);
  }

  Filter read_filter(const YamlNode& node) {
    if (node.is_scalar()) return read_statement(node);
    Filter filter{.kind = FilterKind::all, .is_readable = false};
    constexpr std::array<std::pair<std::string_view, FilterKind>, 3> kinds{
        {{"and", FilterKind::all}, {"or", FilterKind::any}, {"not", FilterKind::none}}};
    if (!node.is_map() || node.members.size() != 1) {
      add(node, "a filter is a statement, or a map with one of 'and', 'or' and 'not'");
      return filter;
    }
    const NodeMember& member = node.members[0];
    const auto* kind =
        std::ranges::find(kinds, member.key, &std::pair<std::string_view, FilterKind>::first);
    if (kind == kinds.end()) {
      add(node,
          unknown_name(
              ErrorCode::invalid_argument, "key of a filter", member.key, {"and", "or", "not"})
              .message);
      return filter;
    }
    filter.kind = kind->second;
    filter.is_readable = true;
    if (member.value.is_list()) {
      for (const YamlNode& item : member.value.items)
        filter.parts.push_back(read_filter(item));
    } else if (!member.value.is_null()) {
      filter.parts.push_back(read_filter(member.value));
    }
    return filter;
  }

  Filter read_statement(const YamlNode& node) {
    Filter filter;
    expression::Parsed parsed = expression::parse_syntax(node.text);
    for (const Problem& problem : parsed.problems)
      add(node, problem);
    filter.is_readable = parsed.is_tree;
    for (const std::string& name : expression::uses_of(parsed.tree).formulas)
      used_formulas_.push_back({name, node.line, node.column});
    filter.tree = std::move(parsed.tree);
    return filter;
  }

  void read_formulas(const YamlNode& node, expression::Formulas& formulas) {
    if (!node.is_map()) return add(node, "formulas are a map of names and expressions");
    for (const NodeMember& member : node.members) {
      if (!member.value.is_scalar()) {
        add(member.value, "the formula '" + member.key + "' is not an expression");
        continue;
      }
      formulas.add(member.key, member.value.text);
      formula_places_.emplace_back(&formulas, member);
    }
  }

  void tell_formulas(const expression::Formulas& formulas) {
    for (const auto& [owner, member] : formula_places_) {
      if (owner != &formulas) continue;
      const expression::Formula* formula = formulas.find(member.key);
      for (const Problem& problem : formula->problems)
        add(member.value,
            Problem{problem.position,
                    "formula '" + member.key + "': " + with_today(problem.message)});
    }
  }

  void read_properties(const YamlNode& node) {
    for (const NodeMember& member : node.members) {
      const YamlNode* name = member.value.find("displayName");
      if (name != nullptr && name->is_scalar()) base_.display_names.emplace(member.key, name->text);
    }
  }

  void read_views(const YamlNode& node) {
    if (!node.is_list()) return add(node, "views are a list");
    for (const YamlNode& item : node.items) {
      if (item.is_map())
        base_.views.push_back(read_view(item));
      else
        add(item, "a view is a map with 'type' and 'name'");
    }
  }

  View read_view(const YamlNode& node) {
    View view;
    for (const NodeMember& member : node.members) {
      const YamlNode& value = member.value;
      if (member.key == "name")
        view.name = value.text;
      else if (member.key == "type")
        view.type = value.text;
      else if (member.key == "filters" && !value.is_null())
        view.filter = read_filter(value);
      else if (member.key == "order")
        view.order = read_order(value);
      else if (member.key == "sort")
        view.sort = read_sort(value);
      else if (member.key == "groupBy" || member.key == "group_by")
        view.group_by = read_sort_key(value);
      else if (member.key == "limit")
        view.limit = read_limit(value);
      else if (member.key == "summaries")
        view.summaries = read_summaries(value);
      if (member.key == "group_by")
        add(value, "'group_by' is of an early version; write 'groupBy'");
    }
    return view;
  }

  std::vector<std::string> read_order(const YamlNode& node) {
    std::vector<std::string> order;
    for (const YamlNode& item : node.items) {
      if (!item.is_scalar()) continue;
      order.push_back(item.text);
      note_property(item, item.text);
    }
    return order;
  }

  std::vector<SortKey> read_sort(const YamlNode& node) {
    std::vector<SortKey> keys;
    for (const YamlNode& item : node.items)
      if (auto key = read_sort_key(item)) keys.push_back(*std::move(key));
    return keys;
  }

  // {property, direction}; older files say `column`, or the property alone.
  std::optional<SortKey> read_sort_key(const YamlNode& node) {
    if (node.is_null()) return std::nullopt;
    SortKey key;
    if (node.is_scalar()) key.property = node.text;
    for (const std::string_view name : {"property", "column", "field"})
      if (const YamlNode* given = node.find(name); given != nullptr && key.property.empty())
        key.property = given->text;
    if (key.property.empty()) {
      add(node, "a sort names its 'property'");
      return std::nullopt;
    }
    if (const YamlNode* direction = node.find("direction")) {
      const std::string folded = fold_case(direction->text);
      key.direction = folded == "desc" ? Direction::descending : Direction::ascending;
      if (folded != "desc" && folded != "asc")
        add(*direction,
            unknown_name(ErrorCode::invalid_argument, "direction", direction->text, {"ASC", "DESC"})
                .message);
    }
    note_property(node, key.property);
    return key;
  }

  std::optional<std::int64_t> read_limit(const YamlNode& node) {
    std::int64_t limit = 0;
    const char* end = node.text.data() + node.text.size();
    const auto read = std::from_chars(node.text.data(), end, limit);
    if (read.ec == std::errc() && read.ptr == end && limit >= 0) return limit;
    if (!node.is_null()) add(node, "a limit is a whole number of at least 0");
    return std::nullopt;
  }

  std::vector<std::pair<std::string, std::string>> read_summaries(const YamlNode& node) {
    std::vector<std::pair<std::string, std::string>> summaries;
    for (const NodeMember& member : node.members)
      if (member.value.is_scalar()) summaries.emplace_back(member.key, member.value.text);
    return summaries;
  }

  // Formulas may stand behind the views that name them.
  void note_property(const YamlNode& node, std::string_view id) {
    constexpr std::string_view of_file = "file.";
    if (id.starts_with(of_file)) {
      std::string why = expression::why_no_field_of_file(id.substr(of_file.size()));
      if (!why.empty()) add(node, std::move(why));
    }
    constexpr std::string_view prefix = "formula.";
    if (id.starts_with(prefix))
      used_formulas_.push_back({std::string(id.substr(prefix.size())), node.line, node.column});
  }

  void check_properties() {
    std::vector<std::string> names;
    for (const auto& entry : base_.formulas.all())
      names.push_back(entry.first);
    for (const Used& used : used_formulas_) {
      if (base_.formulas.find(used.name) != nullptr) continue;
      YamlNode place;
      place.line = used.line;
      place.column = used.column;
      add(place, unknown_name(ErrorCode::invalid_argument, "formula", used.name, names).message);
    }
  }

  struct Used {
    std::string name;
    std::uint32_t line;
    std::uint32_t column;
  };

  BaseFile& base_;
  std::vector<std::pair<const expression::Formulas*, NodeMember>> formula_places_;
  std::vector<Used> used_formulas_;
};

}  // namespace

Result<View> BaseFile::view(std::string_view name) const {
  if (name.empty()) return views.empty() ? View{.name = "", .order = {"file.name"}} : views.front();
  std::vector<std::string> names;
  for (const View& candidate : views) {
    if (candidate.name == name) return candidate;
    names.push_back(candidate.name);
  }
  return unknown_name(ErrorCode::invalid_argument, "view", name, names);
}

Result<BaseFile> parse_base(std::string bytes) {
  const auto note = Note::parse(std::move(bytes), NoteFormat::yaml);
  if (!note) return note.error();
  BaseFile base;
  Reader(base).read(*note);
  return base;
}

expression::Node property_tree(std::string_view id) {
  expression::Node node{.kind = NodeKind::property};
  const auto takes = [&](std::string_view prefix) {
    if (!id.starts_with(prefix)) return false;
    node.name = id.substr(prefix.size());
    return true;
  };
  if (takes("note.") || takes("property.")) return node;
  if (takes("formula.")) {
    node.kind = NodeKind::formula;
  } else if (takes("file.")) {
    node.kind = NodeKind::member;
    node.children.push_back({.kind = NodeKind::file});
  } else {
    node.name = id;
  }
  return node;
}

}  // namespace notesdb::bases
