#include "database/schema_check.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "database/derived_columns.h"
#include "database/validate.h"
#include "index/database_folder.h"
#include "query/comparison.h"
#include "query/field.h"
#include "query/pattern.h"

namespace notesdb {
namespace {

constexpr int max_depth = 4;  // relations of relations; they may go in a circle

const std::vector<std::string>& rollup_functions() {
  static const std::vector<std::string> functions{
      "count", "sum", "average", "avg", "min", "max", "percent_checked"};
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
  void add(const Column& column, std::string key, const std::string& message) {
    list.push_back({column.id, std::move(key), "the column '" + column.id + "': " + message});
  }
  std::vector<ColumnProblem> list;
};

void check_rollup(const Schema& schema,
                  const Column& column,
                  const OtherSchemas& others,
                  Problems& problems) {
  const Rollup& rollup = *column.rollup;
  const auto& functions = rollup_functions();
  if (std::ranges::find(functions, rollup.function) == functions.end()) {
    problems.add(column, "function", unknown("function of a rollup", rollup.function, functions));
  }
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
    if (rollup.function != "count") {
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
    issue.column = place.column;
    break;
  }
  return issue;
}

}  // namespace notesdb
