#include "operations/answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

// The keys of a schema file among the arguments, in the order in which a schema has them.
Map schema_keys(const Arguments& arguments) {
  Map schema;
  for (std::string_view key : {"name", "description", "columns", "row_id", "views", "templates"})
    if (const Value* value = arguments.find(key)) schema.push_back({std::string(key), *value});
  return schema;
}

Result<Value> create(const Call& call) {
  NewDatabase request{schema_keys(call.arguments), call.arguments.text("database_id")};
  Workspace& workspace = call.context.workspace;
  auto created = workspace.create_database(request, call.write_mode());
  if (!created) return created.error();

  Value value = Map{};
  if (call.write_mode() == WriteMode::dry_run) {
    value.set("database", Map{{"database_id", created->database_id}});
    return with_receipt(std::move(value), *created);
  }
  // Once it is made the call has done what it was for, even if it cannot be read back now.
  Result<Database*> database = workspace.get(created->database_id);
  Result<SchemaAnswer> schema =
      database ? (*database)->schema() : Result<SchemaAnswer>(database.error());
  value.set("database",
            schema ? schema_value(created->database_id, *schema)
                   : Value(Map{{"database_id", created->database_id}}));
  return with_receipt(std::move(value), *created);
}

}  // namespace

const Operation& db_create() {
  static const Operation operation{
      .name = "db_create",
      .command = "create",
      .title = "Create a database",
      .description =
          "Makes a folder with a schema. A column may also have name, description, multiple, "
          "unique, default, min, max, pattern; target is the database of a relation. row_id: "
          "{style: "
          "counter, slug, ulid or short; prefix, digits, from}.",
      .effect = Effect::creates,
      .arguments = {{.name = "name", .required = Doors::all, .positional = true},
                    {.name = "columns",
                     .kind = ArgumentKind::columns,
                     .required = Doors::all,
                     .if_missing = "a database has at least one column"},
                    {.name = "database_id",
                     .description = "made from the name if absent",
                     .is_listed = false},
                    {.name = "description",
                     .flag_help = "what the database is for, in a sentence",
                     .metavar = "TEXT"},
                    {.name = "views",
                     .kind = ArgumentKind::records,
                     .flag_help = "its views, as a schema has them; - reads standard input"},
                    {.name = "templates",
                     .kind = ArgumentKind::settings,
                     .flag_help = "its templates as JSON, or a key of it"},
                    {.name = "row_id",
                     .kind = ArgumentKind::settings,
                     .flag_help =
                         "style: counter, slug, ulid, short or date; prefix, digits, from, format"},
                    dry_run_argument()},
      .result = {{"database", ResultKind::map},
                 {"change", ResultKind::text, Presence::sometimes},
                 {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "database",
      .run = create};
  return operation;
}

}  // namespace notesdb
