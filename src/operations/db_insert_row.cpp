#include "operations/answer.h"
#include "operations/meant_rows.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Map map_of(const Value& value) {
  return value.is_map() ? value.map() : Map{};
}

Result<Value> run(const Call& call) {
  NewRow row;
  row.fields = map_of(call.arguments.value("fields"));
  row.body = call.arguments.optional_text("body");
  row.row_id = call.arguments.text("row_id");
  row.template_key = call.arguments.text("template");
  row.variables = map_of(call.arguments.value("variables"));
  Result<WriteAnswer> answer =
      insert_row(call.context.workspace, call.database->id(), std::move(row), call.write_mode());
  if (!answer) return with_meant_rows(answer.error(), call);
  return write_result(*std::move(answer), call.context.max_bytes());
}

}  // namespace

const Operation& db_insert_row() {
  static const Operation operation{
      .name = "db_insert_row",
      .command = "insert",
      .title = "Insert a row",
      .description =
          "Creates a row, checked against the schema. fields: {column id: value}. row_id is "
          "generated "
          "if omitted; variables fill a template's {{names}}.",
      .effect = Effect::inserts,
      .arguments = {database_argument(),
                    {.name = "fields",
                     .kind = ArgumentKind::fields,
                     .required = Doors::tools,
                     .if_missing = "{} is a row without fields"},
                    {.name = "body",
                     .kind = ArgumentKind::body,
                     .description = "Markdown",
                     .is_listed = false},
                    {.name = "row_id",
                     .kind = ArgumentKind::text,
                     .flag_help = "the id of the new row; generated if omitted"},
                    {.name = "template", .flag_help = "a template of the schema to begin with"},
                    {.name = "variables",
                     .kind = ArgumentKind::settings,
                     .flag_help = "what {{KEY}} in the template stands for"},
                    dry_run_argument()},
      .result = {{"row", ResultKind::map},
                 {"change", ResultKind::text, Presence::sometimes},
                 {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "row",
      .run = run};
  return operation;
}

}  // namespace notesdb
