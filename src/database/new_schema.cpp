#include "database/new_schema.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "database/schema_check.h"
#include "index/paths.h"
#include "note/row_codec.h"
#include "query/field.h"
#include "query/filter.h"
#include "query/order.h"
#include "schema/document.h"

namespace notesdb {
namespace {

void check_keys(const Value& given,
                std::string_view what,
                const schema_keys::Names& known,
                std::vector<Error>& errors) {
  if (!given.is_map()) return;
  for (const Member& member : given.map()) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    errors.push_back(
        unknown_name(ErrorCode::invalid_value, "key of " + std::string(what), member.key, known));
  }
}

void check_all_keys(const Map& given, std::vector<Error>& errors) {
  check_keys(given, "a schema", schema_keys::of_schema(), errors);
  const auto each =
      [&](std::string_view key, std::string_view what, const schema_keys::Names& known) {
        const Value* list = find_member(given, key);
        if (list == nullptr || !list->is_list()) return;
        for (const Value& item : list->list())
          check_keys(item, what, known, errors);
      };
  each("columns", "a column", schema_keys::of_column());
  each("views", "a view", schema_keys::of_view());
  if (const Value* templates = find_member(given, "templates"); templates && templates->is_map()) {
    for (const Member& one : templates->map()) {
      check_keys(one.value, "a template", schema_keys::of_template(), errors);
    }
  }
  if (const Value* rule = find_member(given, "row_id")) {
    check_keys(*rule, "row_id", schema_keys::of_row_id(), errors);
  }
  if (const Value* rows = find_member(given, "rows"))
    check_keys(*rows, "rows", schema_keys::of_rows(), errors);
}

bool is_column_type(const std::string& name) {
  const std::vector<std::string> names = column_type_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

Error wrong(std::string message) {
  return {ErrorCode::invalid_value, std::move(message), Map{}};
}

// Whether every column is a map with an id; where one is not, what is wrong with the types is said
// here, since the columns cannot be read as a schema, which says it otherwise.
bool check_shapes(const List& columns, std::vector<Error>& errors) {
  const std::size_t before = errors.size();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string place = "columns[" + std::to_string(i) + "]";
    const Value* id = columns[i].find("id");
    if (!columns[i].is_map()) {
      errors.push_back(wrong(place + " is not a map; a column is {'id': ..., 'type': ...}"));
    } else if (id == nullptr || id->is_null()) {
      const Value* name = columns[i].find("name");
      const bool has_name = name != nullptr && name->is_text() && !slug(name->text()).empty();
      errors.push_back(wrong(place + " has no 'id'" +
                             (has_name ? ", such as '" + slug(name->text()) + "'" : "")));
    }
  }
  if (errors.size() == before) return true;
  for (const Value& column : columns) {
    const Value* type = column.find("type");
    if (type == nullptr || !type->is_text() || is_column_type(type->text())) continue;
    errors.push_back(
        unknown_name(ErrorCode::invalid_value, "column type", type->text(), column_type_names()));
  }
  return false;
}

void check_view(const View& view, const Schema& schema, std::vector<Error>& errors) {
  const std::string name = "the view '" + view.id + "': ";
  const auto add = [&](Error error) {
    error.message = name + error.message;
    errors.push_back(std::move(error));
  };
  for (const std::string& column : view.columns) {
    if (auto field = bind_field(column, schema); !field) add(field.error());
  }
  for (const std::string& column : {view.group_by, view.date_column}) {
    if (column.empty()) continue;
    if (auto field = bind_field(column, schema); !field) add(field.error());
  }
  if (auto filter = parse_filter(view.filters, schema, local_clock()); !filter) add(filter.error());
  if (auto order = parse_order(view.sorts, schema); !order) add(order.error());
}

}  // namespace

std::vector<Error> check_new_schema(const Schema& schema) {
  std::vector<Error> errors;
  for (const Column& column : schema.columns) {
    if (column.type != ColumnType::unknown) continue;
    errors.push_back(unknown_name(
        ErrorCode::invalid_value, "column type", column.type_name, column_type_names()));
  }
  for (ColumnProblem& problem : check_values(schema))
    errors.push_back(wrong(std::move(problem.message)));
  for (const View& view : schema.views)
    check_view(view, schema, errors);
  const std::string& from = schema.row_id.from;
  if (!from.empty() && schema.find(from) == nullptr) {
    errors.push_back(
        unknown_name(ErrorCode::invalid_value, "column in row_id", from, schema.column_ids()));
  }
  if (auto names = RowNames::of(schema.rows); !names) errors.push_back(names.error());
  return errors;
}

Result<Schema> parse_new_schema(const Map& given) {
  std::vector<Error> errors;
  check_all_keys(given, errors);
  const Value* columns = find_member(given, "columns");
  if (columns == nullptr || !columns->is_list() || columns->list().empty()) {
    errors.push_back(wrong("a database has at least one column: columns is a list of them"));
    return join(errors);
  }
  if (!check_shapes(columns->list(), errors)) return join(errors);
  const auto bytes = new_row(Schema{}, given, "");
  if (!bytes) {
    errors.push_back(bytes.error());
    return join(errors);
  }
  auto document = parse_schema(*bytes, NoteFormat::markdown);
  if (!document) {
    errors.push_back(document.error());
    return join(errors);
  }
  for (const Issue& issue : document->issues)
    errors.push_back(wrong(issue.message));
  for (Error& error : check_new_schema(document->schema))
    errors.push_back(std::move(error));
  if (!errors.empty()) return join(errors);
  return std::move(document->schema);
}

}  // namespace notesdb
