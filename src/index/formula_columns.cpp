#include "index/formula_columns.h"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_set>
#include <utility>

#include "core/budget.h"
#include "core/date.h"
#include "core/error.h"
#include "expression/result_kind.h"
#include "expression/text_parts.h"

namespace notesdb {

namespace {

using expression::Kind;
using expression::Node;
using expression::NodeKind;

expression::ResultKind kind_of(const Column& column) {
  if (column.holds_list()) return Kind::list;
  switch (column.type) {
    case ColumnType::number: return Kind::number;
    case ColumnType::checkbox: return Kind::boolean;
    case ColumnType::date:
    case ColumnType::datetime: return Kind::date;
    case ColumnType::text:
    case ColumnType::select:
    case ColumnType::url: return Kind::string;
    default: return std::nullopt;
  }
}

ColumnType type_of(expression::ResultKind kind) {
  if (!kind) return ColumnType::json;
  switch (*kind) {
    case Kind::boolean: return ColumnType::checkbox;
    case Kind::number: return ColumnType::number;
    case Kind::date: return ColumnType::date;
    case Kind::list: return ColumnType::list;
    case Kind::string:
    case Kind::duration:
    case Kind::link:
    case Kind::file:
    case Kind::html:
    case Kind::image:
    case Kind::icon: return ColumnType::text;
    default: return ColumnType::json;
  }
}

bool suits(ColumnType type, const Value& value) {
  switch (type) {
    case ColumnType::number: return value.is_number();
    case ColumnType::checkbox: return value.is_boolean();
    case ColumnType::date: return value.is_text() && parse_moment(value.text()).has_value();
    case ColumnType::list: return value.is_list();
    case ColumnType::text: return value.is_text();
    default: return true;
  }
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// What an expression asks for beside the fields of its row.
struct Needs {
  FormulaHold hold = FormulaHold::row;
  bool reads_files = false;

  void last(FormulaHold at_most) { hold = std::max(hold, at_most); }
};

void add_needs(const Node& node, Needs& needs) {
  const bool is_call = node.kind == NodeKind::call;
  const bool is_method = node.kind == NodeKind::method;
  if (is_call && node.name == "today") needs.last(FormulaHold::day);
  if (is_call && is_one_of(node.name, {"now", "random"})) needs.last(FormulaHold::question);
  if (is_method && node.name == "relative") needs.last(FormulaHold::question);
  if (is_call && is_one_of(node.name, {"file", "link"})) needs.reads_files = true;
  if (is_method && is_one_of(node.name, {"asFile", "linksTo"})) needs.reads_files = true;
  if (node.kind == NodeKind::file) needs.reads_files = true;
}

// The name and the times of a file are known without a look into it.
bool is_of_name(const Node& node) {
  if (node.children.empty() || node.children[0].kind != NodeKind::file) return false;
  if (node.kind == NodeKind::method) return node.name == "inFolder";
  return node.kind == NodeKind::member &&
         is_one_of(node.name,
                   {"name", "basename", "path", "folder", "ext", "size", "ctime", "mtime"});
}

void add_all_needs(const Node& node, Needs& needs) {
  const std::span<const Node> children(node.children);
  if (!is_of_name(node)) add_needs(node, needs);
  for (const Node& child : children.subspan(is_of_name(node) ? 1 : 0))
    add_all_needs(child, needs);
}

class NamedFile : public expression::File {
 public:
  NamedFile(std::string path, const StatKey& key) : path_(std::move(path)), key_(key) {}
  const std::string& path() const override { return path_; }
  double size() const override { return static_cast<double>(key_.size); }
  // No file system tells of all files when they were made: the earlier of its two times is the
  // nearest to it.
  expression::Date created() const override {
    return {std::min(key_.mtime_ns, key_.ctime_ns) / 1'000'000, true};
  }
  expression::Date modified() const override { return {key_.mtime_ns / 1'000'000, true}; }
  expression::Value tags() const override { return {}; }
  expression::Value links() const override { return {}; }
  expression::Value embeds() const override { return {}; }
  expression::Value backlinks() const override { return {}; }
  expression::Value property(std::string_view /*name*/) const override { return {}; }
  expression::Value properties() const override { return {}; }

 private:
  std::string path_;
  StatKey key_;
};

}  // namespace

expression::FilePointer file_by_name(std::string path, const StatKey& key) {
  return std::make_shared<const NamedFile>(std::move(path), key);
}

expression::Date question_time() {
  const Clock clock = local_clock();
  return {(clock.local.microseconds - clock.utc_offset) / 1'000, true};
}

std::string told(const expression::Problem& problem, std::string_view expression) {
  const std::size_t before = expression::character_count(expression.substr(0, problem.position));
  return "at character " + std::to_string(before + 1) + ": " + problem.message;
}

class FormulaColumns::Subject : public expression::Subject {
 public:
  Subject(const FormulaColumns& columns, const FormulaRow& row, const expression::TimeZone& zone)
      : columns_(columns), row_(row), zone_(zone) {}

  expression::Value property(std::string_view name) const override {
    const auto place = columns_.places_.find(name);
    return place == columns_.places_.end() ? expression::Value() : field(place->second);
  }
  expression::Value properties() const override {
    std::vector<std::pair<std::string, expression::Value>> members;
    for (std::size_t column = 0; column < columns_.ids_.size(); ++column) {
      if (columns_.types_[column] == ColumnType::rollup || columns_.find(column) != nullptr)
        continue;
      auto value = field(column);
      if (!value.is_null()) members.emplace_back(columns_.ids_[column], std::move(value));
    }
    return expression::Value::object_of(std::move(members));
  }
  expression::FilePointer file() const override { return row_.file(); }

 private:
  expression::Value field(std::size_t column) const {
    const Value value = row_.field(column);
    const bool may_link = !value.is_scalar() || (value.is_text() && value.text().starts_with("[["));
    return expression::value_of_field(value, may_link ? row_.path() : std::string(), zone_);
  }

  const FormulaColumns& columns_;
  const FormulaRow& row_;
  const expression::TimeZone& zone_;
};

FormulaColumns::FormulaColumns(Schema& schema) : ids_(schema.column_ids()) {
  const auto is_formula = [](const Column& column) { return !column.expression.empty(); };
  if (std::ranges::none_of(schema.columns, is_formula)) return;
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    places_.emplace(ids_[i], i);
    if (!is_formula(schema.columns[i])) continue;
    columns_.push_back({.column = i});
    formulas_.add(ids_[i], schema.columns[i].expression);
  }
  formulas_.take_plain_names();
  formulas_.check();
  for (const Column& column : schema.columns)
    types_.push_back(column.type);
  check_names();
  find_holds();
  take_types(schema);
  for (const FormulaColumn& column : columns_)
    types_[column.column] = schema.columns[column.column].type;
}

const FormulaColumn* FormulaColumns::find(std::size_t column) const {
  const auto found = std::ranges::lower_bound(columns_, column, {}, &FormulaColumn::column);
  return found != columns_.end() && found->column == column ? &*found : nullptr;
}

// The nearest name is looked for where there are few problems; many of them have one cause.
void FormulaColumns::check_names() {
  constexpr int most_with_nearest = 100;
  int problems = 0;
  for (const FormulaColumn& column : columns_) {
    const std::string& id = ids_[column.column];
    const auto unknown = [&](const Node& node) {
      std::string message = "unknown column '" + node.name + "'";
      if (++problems <= most_with_nearest) {
        std::vector<std::string> others = ids_;
        std::erase(others, id);
        message = full_message(unknown_name(ErrorCode::unknown_field, "column", node.name, others));
      }
      unknown_[id].push_back({node.position, std::move(message)});
    };
    expression::for_each_node(formulas_.find(id)->tree, [&](const Node& node) {
      if (node.kind == NodeKind::property && !places_.contains(node.name)) unknown(node);
      if (node.kind == NodeKind::embedding)
        unknown_[id].push_back(
            {node.position, "'this' is the note around a base, and a column stands in none"});
    });
  }
}

std::vector<expression::Problem> FormulaColumns::problems(const std::string& id) const {
  const expression::Formula* formula = formulas_.find(id);
  if (formula == nullptr) return {};
  std::vector<expression::Problem> problems = formula->problems;
  if (const auto unknown = unknown_.find(id); unknown != unknown_.end())
    problems.insert(problems.end(), unknown->second.begin(), unknown->second.end());
  std::ranges::stable_sort(problems, {}, &expression::Problem::position);
  return problems;
}

std::vector<std::string> FormulaColumns::names_used(const std::string& id) const {
  const expression::Formula* formula = formulas_.find(id);
  if (formula == nullptr) return {};
  std::vector<std::string> names = formula->uses.properties;
  names.insert(names.end(), formula->uses.formulas.begin(), formula->uses.formulas.end());
  return names;
}

FormulaColumn& FormulaColumns::of(const std::string& id) {
  return *std::ranges::lower_bound(columns_, places_.find(id)->second, {}, &FormulaColumn::column);
}

// What a formula uses of others it needs too; those come before it.
void FormulaColumns::find_holds() {
  for (const std::string& id : formulas_.in_order()) {
    const expression::Formula& formula = *formulas_.find(id);
    FormulaColumn& column = of(id);
    if (const auto wrong = problems(id); !wrong.empty())
      column.problem = told(wrong[0], formula.text);
    Needs needs;
    add_all_needs(formula.tree, needs);
    const auto is_rollup = [&](const std::string& name) {
      const auto place = places_.find(name);
      return place != places_.end() && types_[place->second] == ColumnType::rollup;
    };
    column.uses_rollups = std::ranges::any_of(formula.uses.properties, is_rollup);
    for (const std::string& name : formula.uses.formulas) {
      if (!places_.contains(name)) continue;
      const FormulaColumn& used = of(name);
      needs.last(used.hold);
      needs.reads_files = needs.reads_files || used.reads_files;
      column.uses_rollups = column.uses_rollups || used.uses_rollups;
      if (column.problem.empty() && !used.problem.empty())
        column.problem = (used.problem[0] == '\'' ? "" : "'" + name + "': ") + used.problem;
    }
    if (needs.reads_files || column.uses_rollups) needs.last(FormulaHold::question);
    column.hold = needs.hold;
    column.reads_files = needs.reads_files;
  }
}

std::vector<std::string> FormulaColumns::rollups_of(const std::vector<std::string>& ids) const {
  std::vector<std::string> names = ids;
  std::unordered_set<std::string> known(ids.begin(), ids.end());
  std::vector<std::string> rollups;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto place = places_.find(names[i]);
    if (place == places_.end()) continue;
    if (types_[place->second] == ColumnType::rollup) rollups.push_back(names[i]);
    for (std::string& used : names_used(names[i]))
      if (known.insert(used).second) names.push_back(std::move(used));
  }
  return rollups;
}

void FormulaColumns::take_types(Schema& schema) const {
  std::unordered_map<std::string_view, expression::ResultKind> kinds;
  const auto kind_of_name = [&](const Node& node) -> expression::ResultKind {
    if (const auto known = kinds.find(node.name); known != kinds.end()) return known->second;
    const auto place = places_.find(node.name);
    if (place == places_.end() || find(place->second) != nullptr) return std::nullopt;
    return kind_of(schema.columns[place->second]);
  };
  for (const std::string& id : formulas_.in_order()) {
    const expression::ResultKind kind =
        expression::result_kind(formulas_.find(id)->tree, kind_of_name);
    kinds.emplace(id, kind);
    const std::size_t place = places_.find(id)->second;
    schema.columns[place].type = find(place)->problem.empty() ? type_of(kind) : ColumnType::json;
  }
}

expression::Environment FormulaColumns::environment(expression::Date now) const {
  return {.now = now, .zone = &expression::system_time_zone(), .formulas = &formulas_};
}

std::vector<FormulaColumns::Computed> FormulaColumns::compute(
    std::span<const FormulaColumn* const> formulas,
    const FormulaRow& row,
    const expression::Environment& environment) const {
  const Subject subject(*this, row, *environment.zone);
  expression::Evaluation evaluation(environment, subject);
  std::vector<Computed> computed;
  computed.reserve(formulas.size());
  for (const FormulaColumn* formula : formulas)
    computed.push_back(compute(*formula, evaluation));
  return computed;
}

FormulaColumns::Computed FormulaColumns::compute(const FormulaColumn& formula,
                                                 expression::Evaluation& evaluation) const {
  const auto failed = [](const std::string& why) { return Computed{Map{{"error", why}}, false}; };
  if (!formula.problem.empty()) return failed(formula.problem);
  const auto value = evaluation.value_of_formula(ids_[formula.column]);
  if (!value) return failed(value.error().message);
  auto answer = evaluation.answer_of(*value);
  if (!answer) return failed(answer.error().message);
  const bool fits = answer->is_null() || suits(types_[formula.column], *answer);
  return {*std::move(answer), fits};
}

std::uint32_t ComputedValues::code_of(FormulaColumns::Computed computed) {
  if (computed.value.is_null()) return 0;
  const std::string text = to_display(computed.value);
  const std::size_t hash = std::hash<std::string>()(text);
  const auto [begin, end] = codes_.equal_range(hash);
  for (auto at = begin; at != end; ++at)
    if (value(at->second) == computed.value) return at->second;
  Budget::take(sizeof(FormulaColumns::Computed) + text.size());
  values_.push_back(std::move(computed));
  codes_.emplace(hash, size());
  return size();
}

std::size_t ComputedValues::memory() const {
  constexpr std::size_t node = 4 * sizeof(void*);
  return values_.size() * (sizeof(FormulaColumns::Computed) + node);
}

Value TableRow::field(std::size_t column) const {
  const std::uint32_t code = table_.codes(column)[row_];
  return code == 0 ? Value() : table_.value(column, code);
}

}  // namespace notesdb
