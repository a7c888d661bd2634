#include <algorithm>
#include <utility>

#include "alter/conversion.h"
#include "alter/schema_set.h"
#include "database/new_schema.h"
#include "database/schema_check.h"

namespace notesdb {
namespace {

Error wrong(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), Map{}};
}

// What is wrong with a schema, each thing by itself.
std::vector<std::string> issue_messages(const SchemaDocument& document,
                                        const OtherSchemas& others) {
  std::vector<std::string> messages;
  for (const Issue& issue : document.issues)
    messages.push_back(issue.message);
  for (const Error& error : check_new_schema(document.schema)) {
    const Value* parts = error.data.find("errors");
    if (parts == nullptr) {
      messages.push_back(error.message);
      continue;
    }
    // Several of one view, after its name.
    const std::string& first = parts->list().front().find("message")->text();
    const std::string name = error.message.substr(0, error.message.find(first));
    for (const Value& part : parts->list())
      messages.push_back(name + part.find("message")->text());
  }
  for (ColumnProblem& problem : check_relations(document.schema, others))
    messages.push_back(std::move(problem.message));
  return messages;
}

}  // namespace

// A column that rollups compute from stays.
Result<void> SchemaSet::check_unused(const SchemaChange& change) const {
  if (schema().columns.size() == 1) {
    return wrong("'" + change.column + "' is the only column, and a database has at least one");
  }
  for (const auto& [id, one] : schemas_) {
    for (const Column& column : one.document.schema.columns) {
      if (!column.rollup) continue;
      const Column* relation = one.document.schema.find(column.rollup->relation);
      const bool uses_relation = id == id_ && column.rollup->relation == change.column;
      const bool uses_field =
          relation != nullptr && !new_name(relation->target, column.rollup->field, change);
      if (!uses_relation && !(uses_field && !column.rollup->field.empty())) continue;
      return Error{ErrorCode::invalid_value,
                   "'" + change.column + "' cannot go: the rollup column '" + column.id + "' of '" +
                       id + "' computes from it; drop that one first"};
    }
  }
  return {};
}

// Of a view that is set or dropped, and of a new one that would hide it.
Result<void> SchemaSet::check_view(const SchemaChange& change) const {
  if (change.action == SchemaAction::set_view && change.keys.empty())
    return wrong("set_view sets no key");
  const std::vector<std::string> types{"table", "board", "calendar"};
  const Value* type = find_member(change.keys, "type");
  if (type != nullptr && !type->is_null()) {
    const std::string name = type->is_text() ? type->text() : to_display(*type);
    if (std::ranges::find(types, name) == types.end())
      return unknown_name(ErrorCode::invalid_argument, "type of a view", name, types);
  }
  const bool is_there = schema().find_view(change.view) != nullptr;
  if (change.action == SchemaAction::add_view) {
    if (!is_there) return {};
    return Error{ErrorCode::already_exists,
                 "the view '" + change.view + "' exists already; set_view changes it",
                 Map{}};
  }
  if (is_there) return {};
  std::vector<std::string> ids;
  for (const View& view : schema().views)
    ids.push_back(view.id);
  return unknown_name(ErrorCode::invalid_argument, "view", change.view, ids);
}

Result<void> SchemaSet::check_type(const SchemaChange& change) const {
  const Value* given = find_member(change.keys, "type");
  const std::string type = given != nullptr && given->is_text() ? given->text() : "text";
  const ColumnType known = parse_column_type(type);
  const bool adds = change.action == SchemaAction::add_column;
  if (known == ColumnType::unknown || (known == ColumnType::rollup && !adds)) {
    std::vector<std::string> types = column_type_names();
    if (!adds) std::erase(types, name_of(ColumnType::rollup));
    return unknown_name(ErrorCode::invalid_value, "column type", type, types);
  }
  const Value* options = find_member(change.keys, "options");
  if (has_options(known) && adds && (options == nullptr || !options->is_list())) {
    return wrong("a " + type + " column needs 'options', a list of texts");
  }
  if (known != ColumnType::relation) return {};
  const Value* target = find_member(change.keys, "target");
  const Column* column = schema().find(change.column);
  const std::string database = target != nullptr && target->is_text() ? target->text()
                               : column != nullptr                    ? column->target
                                                                      : "";
  if (schema_of(database) != nullptr) return {};
  std::vector<std::string> ids;
  for (const auto& [id, one] : schemas_)
    ids.push_back(id);
  return unknown_name(ErrorCode::invalid_value, "target of a relation", database, ids);
}

Result<void> SchemaSet::check_option(const SchemaChange& change) const {
  const Column& column = *schema().find(change.column);
  if (!has_options(column.type)) {
    return wrong("'" + column.id + "' is a " + column.type_name +
                 " column; only select and multi-select columns have options");
  }
  const auto has = [&](const std::string& option) {
    return std::ranges::find(column.options, option) != column.options.end();
  };
  const auto unknown = [&](const std::string& option) {
    return unknown_name(
        ErrorCode::invalid_value, "option of '" + column.id + "'", option, column.options);
  };
  for (const auto& other : {change.after, change.before})
    if (other && !has(*other)) return unknown(*other);
  const bool adds = change.action == SchemaAction::add_option;
  if (!adds && !has(change.option)) return unknown(change.option);
  const bool removes = change.action == SchemaAction::remove_option;
  if (removes && !change.to.empty() && (!has(change.to) || change.to == change.option)) {
    return unknown(change.to);
  }
  const std::string& fresh = adds ? change.option : change.to;
  if (removes || !has(fresh)) return {};
  std::string hint = adds ? "" : "; to join the two: remove_option with 'to'";
  return Error{ErrorCode::already_exists,
               "'" + fresh + "' is an option of '" + column.id + "' already" + hint};
}

Result<void> SchemaSet::check(const SchemaChange& change) const {
  if (change.action == SchemaAction::describe) {
    const Value* name = find_member(change.keys, "name");
    if (change.keys.empty()) return wrong("describe sets 'name' or 'description'");
    if (name != nullptr && !(name->is_text() && !name->text().empty())) {
      return wrong("a database has a name");
    }
    return {};
  }
  if (is_about_view(change.action)) return check_view(change);
  const bool adds = change.action == SchemaAction::add_column;
  const std::string& fresh = adds ? change.column : change.to;
  const bool names_new = adds || change.action == SchemaAction::rename_column;
  if (!adds && schema().find(change.column) == nullptr) {
    return unknown_name(ErrorCode::unknown_field, "column", change.column, schema().column_ids());
  }
  if (names_new && schema().find(fresh) != nullptr) {
    return Error{ErrorCode::already_exists, "there is a column '" + fresh + "' already"};
  }
  if (names_new && fresh.starts_with('_')) {
    return wrong("the column id '" + fresh + "' begins with '_'; such names are ours");
  }
  switch (change.action) {
    case SchemaAction::add_column:
    case SchemaAction::change_type: return check_type(change);
    case SchemaAction::drop_column: return check_unused(change);
    case SchemaAction::add_option:
    case SchemaAction::rename_option:
    case SchemaAction::remove_option: return check_option(change);
    case SchemaAction::set_column:
      if (change.keys.empty() && !change.fill) return wrong("set_column sets no key");
      return {};
    default: return {};
  }
}

std::vector<Error> SchemaSet::new_problems() const {
  std::vector<Error> problems;
  const auto others = [this](auto schema_in) {
    OtherSchemas made;
    for (const auto& [id, one] : schemas_)
      made.ids.push_back(id);
    made.find = [this, schema_in](const std::string& id) -> std::optional<const Schema*> {
      const auto found = schemas_.find(id);
      return found == schemas_.end() ? std::nullopt : std::optional(schema_in(found->second));
    };
    return made;
  };
  const OtherSchemas others_before =
      others([](const One& one) -> const Schema* { return &one.folder->document().schema; });
  const OtherSchemas others_after =
      others([](const One& one) -> const Schema* { return &one.document.schema; });
  for (const auto& [id, one] : schemas_) {
    std::vector<std::string> old = issue_messages(one.folder->document(), others_before);
    std::vector<std::string> now = issue_messages(one.document, others_after);
    if (now.size() <= old.size()) continue;  // the same ones under other names
    for (const std::string& message : now) {
      if (std::ranges::find(old, message) != old.end()) continue;
      if (message.starts_with("unknown column type 'rollup'")) continue;
      problems.push_back(
          {ErrorCode::invalid_value, (id == id_ ? "" : "'" + id + "': ") + message, Map{}});
    }
  }
  return problems;
}

}  // namespace notesdb
