#include "database/schema_check.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "core/dependency_order.h"
#include "core/error.h"
#include "core/text.h"
#include "database/derived_columns.h"
#include "database/reverse_rollups.h"
#include "database/validate.h"
#include "index/database_folder.h"
#include "index/formula_columns.h"
#include "query/comparison.h"
#include "query/field.h"
#include "query/pattern.h"

namespace notesdb {
namespace {

constexpr int max_depth = 4;  // relations of relations; they may go in a circle

const std::vector<std::string>& rollup_functions() {
  static const std::vector<std::string> functions{
      "count", "count_distinct", "sum", "avg", "min", "max", "list", "average", "percent_checked"};
  return functions;
}

std::string unknown(const std::string& what,
                    const std::string& given,
                    const std::vector<std::string>& choices) {
  return full_message(unknown_name(ErrorCode::invalid_value, what, given, choices));
}

// What is wrong with a field of another database; empty where nothing is, or where that cannot be
// known.
std::string problem_of_field(const Schema& schema,
                             const std::string& field,
                             const OtherSchemas& others,
                             int depth) {
  const bool is_column = schema.find(field) != nullptr;
  const Column* relation = is_column ? nullptr : followed_relation(schema, field);
  if (relation == nullptr) {
    const auto bound = bind_field(field, schema);
    return bound ? "" : full_message(bound.error());
  }
  const auto target = others.find(relation->target);
  if (!target || *target == nullptr || depth >= max_depth) return "";
  return problem_of_field(**target, field.substr(relation->id.size() + 1), others, depth + 1);
}

// The relations of a schema, which a rollup may name.
std::vector<std::string> relations_of(const Schema& schema) {
  std::vector<std::string> ids;
  for (const Column& column : schema.columns)
    if (column.type == ColumnType::relation) ids.push_back(column.id);
  return ids;
}

class Problems {
 public:
  void add(const Column& column,
           std::string key,
           const std::string& message,
           std::uint32_t offset = 0) {
    list.push_back(
        {column.id, std::move(key), "the column '" + column.id + "': " + message, offset});
  }
  std::vector<ColumnProblem> list;
};

void check_backlink_rollup(const Column& column, Problems& problems) {
  const std::vector<std::string> functions{"count", "count_distinct", "list"};
  if (std::ranges::find(functions, column.rollup->function) == functions.end())
    problems.add(
        column,
        "function",
        unknown("function of a rollup over _backlinks", column.rollup->function, functions));
  if (!column.rollup->field.empty())
    problems.add(column, "field", "a rollup over _backlinks has no 'field': any note may link");
}

// Over the rows of another database that name this one.
void check_reverse_rollup(const Column& column, const OtherSchemas& others, Problems& problems) {
  const Rollup& rollup = *column.rollup;
  if (!rollup.relation.empty())
    problems.add(column, "relation", "a rollup has a 'relation' or a 'from', not both");
  if (rollup.from == from_backlinks) return check_backlink_rollup(column, problems);
  const RollupSource source = source_of(rollup.from);
  if (source.database.empty()) {
    return problems.add(
        column,
        "from",
        "'" + rollup.from + "' is not the relation of a database; write stories.assignee");
  }
  const auto schema = others.find(source.database);
  if (!schema)
    return problems.add(column, "from", unknown("database", source.database, *others.ids));
  if (*schema == nullptr) return;  // of which `check` tells by itself
  const Column* relation = (*schema)->find(source.column);
  if (relation == nullptr || relation->type != ColumnType::relation) {
    return problems.add(column,
                        "from",
                        "in '" + source.database +
                            "': " + unknown("relation", source.column, relations_of(**schema)));
  }
  const bool needs_field = rollup.function != "count" && rollup.function != "list";
  if (rollup.field.empty() && needs_field)
    return problems.add(column, "field", "a rollup has a 'field' of '" + source.database + "'");
  const bool is_known =
      rollup.field.empty() || rollup.field == "_id" || (*schema)->find(rollup.field) != nullptr;
  if (is_known) return;
  std::vector<std::string> fields = (*schema)->column_ids();
  fields.emplace_back("_id");
  problems.add(
      column,
      "field",
      "in '" + source.database + "': " + unknown("field of a rollup", rollup.field, fields));
}

void check_rollup(const Schema& schema,
                  const Column& column,
                  const OtherSchemas& others,
                  Problems& problems) {
  const Rollup& rollup = *column.rollup;
  const auto& functions = rollup_functions();
  if (std::ranges::find(functions, rollup.function) == functions.end()) {
    problems.add(column, "function", unknown("function of a rollup", rollup.function, functions));
  }
  if (!rollup.from.empty()) return check_reverse_rollup(column, others, problems);
  const Column* relation = schema.find(rollup.relation);
  if (relation == nullptr) {
    return problems.add(
        column, "relation", unknown("relation of a rollup", rollup.relation, relations_of(schema)));
  }
  if (relation->type != ColumnType::relation) {
    return problems.add(column,
                        "relation",
                        "'" + relation->id + "' is a " + relation->type_name +
                            " column; a rollup computes over a relation");
  }
  if (rollup.field.empty()) {
    if (rollup.function != "count" && rollup.function != "list") {
      problems.add(column, "field", "a rollup has a 'field' of '" + relation->target + "'");
    }
    return;
  }
  const auto target = others.find(relation->target);
  if (!target || *target == nullptr) return;  // told of the relation itself
  if (const auto message = problem_of_field(**target, rollup.field, others, 0); !message.empty()) {
    problems.add(column, "field", "in '" + relation->target + "': " + message);
  }
}

// The member of a column in a schema's file that says `key`, flat or in its map `rollup`.
const Node* node_of(const Node& column, const std::string& key) {
  if (const Node* found = column.find(key)) return found;
  const Node* rollup = column.find("rollup");
  return rollup == nullptr ? nullptr : rollup->find(key);
}

// The columns that computed columns are computed from, of all databases.
class Dependencies {
 public:
  explicit Dependencies(const OtherSchemas& others) : others_(others) {}

  // Columns of a schema that depend on themselves by way of a rollup, each with that way. Where it
  // leads through formulas alone their expressions tell.
  std::vector<std::pair<std::string, std::string>> circles_of(const Schema& schema) {
    std::vector<std::pair<std::string, std::string>> circles;
    const auto uses = [&](std::size_t thing) { return used_by(thing); };
    const auto tell = [&](std::span<const std::size_t> way) {
      const auto is_own_rollup = [&](std::size_t thing) {
        return column(thing).rollup.has_value();
      };
      const auto is_own = [&](std::size_t thing) { return places_[thing].first == &schema; };
      const auto first = std::ranges::find_if(way, is_own);
      if (first == way.end() || std::ranges::none_of(way, is_own_rollup)) return;
      std::vector<std::string> names;
      for (std::size_t i = 0; i < way.size(); ++i) {
        const auto at = static_cast<std::size_t>(first - way.begin()) + i;
        const auto& [in, column] = places_[way[at % way.size()]];
        names.push_back(in == &schema ? column->id : in->name + "." + column->id);
      }
      circles.emplace_back(names.front(), circle_text(names));
    };
    DependencyOrder order;
    for (const Column& column : schema.columns)
      if (column.is_computed()) order.visit(number(schema, column), uses, tell);
    return circles;
  }

 private:
  std::size_t number(const Schema& schema, const Column& column) {
    const auto [found, is_new] = numbers_.try_emplace(&column, places_.size());
    if (is_new) places_.emplace_back(&schema, &column);
    return found->second;
  }

  const Column& column(std::size_t thing) const { return *places_[thing].second; }

  std::vector<std::size_t> used_by(std::size_t thing) {
    const Schema& schema = *places_[thing].first;
    const Column& column = this->column(thing);
    std::vector<std::size_t> used;
    if (!column.expression.empty()) {
      const Formulas& of = formulas_of(schema);
      for (const std::string& name : of.formulas->names_used(column.id))
        if (const auto found = of.columns.find(name); found != of.columns.end())
          used.push_back(number(schema, *found->second));
    }
    if (!column.rollup || column.rollup->field.empty()) return used;
    const bool is_reverse = !column.rollup->from.empty();
    const Column* relation = schema.find(column.rollup->relation);
    const std::string database = is_reverse            ? source_of(column.rollup->from).database
                                 : relation == nullptr ? ""
                                                       : relation->target;
    add_field(database, column.rollup->field, 0, used);
    return used;
  }

  // The field of another database, maybe by relations of it.
  void add_field(const std::string& database,
                 const std::string& field,
                 int depth,
                 std::vector<std::size_t>& used) {
    const auto target = database.empty() ? std::nullopt : others_.find(database);
    if (!target || *target == nullptr || depth >= max_depth) return;
    const auto& columns = formulas_of(**target).columns;
    if (const auto found = columns.find(field); found != columns.end())
      return used.push_back(number(**target, *found->second));
    if (field.find('.') == std::string::npos) return;
    if (const Column* relation = followed_relation(**target, field))
      add_field(relation->target, field.substr(relation->id.size() + 1), depth + 1, used);
  }

  struct Formulas {
    std::unique_ptr<FormulaColumns> formulas;
    std::unordered_map<std::string_view, const Column*> columns;  // all of the schema, by id
  };
  const Formulas& formulas_of(const Schema& schema) {
    Formulas& made = formulas_[&schema];
    if (made.formulas) return made;
    Schema typed = schema;
    made.formulas = std::make_unique<FormulaColumns>(typed);
    for (const Column& column : schema.columns)
      made.columns.emplace(column.id, &column);
    return made;
  }

  const OtherSchemas& others_;
  std::map<const Column*, std::size_t> numbers_;
  std::vector<std::pair<const Schema*, const Column*>> places_;
  std::map<const Schema*, Formulas> formulas_;
};

void check_formulas(const Schema& schema, Problems& problems) {
  Schema typed = schema;
  const FormulaColumns formulas(typed);
  for (const FormulaColumn& formula : formulas.all()) {
    const Column& column = schema.columns[formula.column];
    for (const expression::Problem& problem : formulas.problems(column.id))
      problems.add(column, "expression", told(problem, column.expression), problem.position);
    if (column.required || column.unique || column.default_value)
      problems.add(column, "", "what is computed takes no 'required', 'unique' or 'default'");
  }
}

}  // namespace

OtherSchemas other_schemas(const FileSystem& files,
                           std::shared_ptr<const std::vector<std::string>> ids,
                           const std::string& own_id,
                           const Schema& own) {
  OtherSchemas others;
  if (std::ranges::find(*ids, own_id) == ids->end()) {
    auto more = std::make_shared<std::vector<std::string>>(*ids);
    more->push_back(own_id);
    ids = std::move(more);
  }
  others.ids = ids;
  // Each is read once.
  auto read = std::make_shared<std::map<std::string, std::shared_ptr<const DatabaseFolder>>>();
  others.find = [&files, &own, own_id, read, ids = std::move(ids)](
                    const std::string& id) -> std::optional<const Schema*> {
    if (id == own_id) return &own;
    if (std::ranges::find(*ids, id) == ids->end()) return std::nullopt;
    if (!read->contains(id)) {
      auto folder = DatabaseFolder::read(files, id);
      read->emplace(id, folder ? *std::move(folder) : nullptr);
    }
    const auto& folder = read->find(id)->second;
    return folder ? &folder->schema() : nullptr;
  };
  return others;
}

std::vector<ColumnProblem> check_values(const Schema& schema) {
  Problems problems;
  const FieldRules rules(schema);
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    const Column& column = schema.columns[i];
    if (!column.pattern.empty()) {
      if (auto pattern = Pattern::parse(column.pattern); !pattern)
        problems.add(column, "pattern", pattern.error().message);
    }
    if (column.default_value) {
      for (const Violation& violation : rules.check(i, column.default_value))
        problems.add(column, "default", "its default: " + violation.message);
    }
    const auto field =
        column.min && column.max ? bind_field(column.id, schema) : Result<Field>(Error{});
    if (field && rank_of(*column.max, *field) < rank_of(*column.min, *field))
      problems.add(column, "min", "min is more than max");
  }
  check_formulas(schema, problems);
  return std::move(problems.list);
}

std::vector<ColumnProblem> check_relations(const Schema& schema, const OtherSchemas& others) {
  Problems problems;
  for (const Column& column : schema.columns) {
    const bool names_target = column.type == ColumnType::relation && !column.target.empty();
    if (names_target && !others.find(column.target)) {
      problems.add(column, "target", unknown("target of a relation", column.target, *others.ids));
    }
    if (column.rollup) check_rollup(schema, column, others, problems);
  }
  for (const auto& [id, circle] : Dependencies(others).circles_of(schema)) {
    const Column& column = *schema.find(id);
    problems.add(column, column.rollup ? "field" : "expression", "it depends on itself: " + circle);
  }
  return std::move(problems.list);
}

Issue to_issue(const ColumnProblem& problem, const SchemaDocument& document) {
  Issue issue;
  issue.rule = "schema";
  issue.message = problem.message;
  issue.field = problem.column;
  const Node* columns = document.note.find("columns");
  if (columns == nullptr) return issue;
  for (const Node& column : columns->items) {
    const Node* id = column.find("id");
    if (id == nullptr || id->text != problem.column) continue;
    const Node* key = node_of(column, problem.key);
    const Node& place = key != nullptr ? *key : column;
    issue.line = place.line;
    issue.column =
        key != nullptr && problem.offset > 0 ? place.column_at(problem.offset) : place.column;
    break;
  }
  return issue;
}

}  // namespace notesdb
