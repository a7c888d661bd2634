// db_import: the records of a text as rows, all of them in one change or none.
#include "exchange/import.h"
#include "operations/folder_answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Source source_of(const Call& call) {
  const Arguments& arguments = call.arguments;
  const std::string name = arguments.text("file_name");
  const std::string text = arguments.text("text");
  const std::string format = arguments.text("format");
  const std::string separator = arguments.text("separator");
  if (format == "tsv") return read_tsv_source(name, text);
  if (format == "json") return read_json_source(name, text);
  if (format == "jsonl") return read_json_lines_source(name, text);
  return read_csv_source(name, text, separator == "semicolon" ? ';' : ',');
}

Result<Value> import_text(const Call& call) {
  ImportRequest request;
  request.database_id = call.arguments.text("database_id");
  request.create = call.arguments.is_set("create");
  request.id_from = call.arguments.text("id_from");
  request.match = call.arguments.text("match");
  Result<ImportAnswer> answer =
      import_rows(call.context.workspace, source_of(call), request, call.write_mode());
  if (!answer) return answer.error();
  if (!answer->issues.empty()) return import_refusal(*answer);
  return import_result(request, *answer);
}

}  // namespace

const Operation& db_import() {
  static const Operation operation{
      .name = "db_import",
      .title = "Import rows",
      .description =
          "Makes rows of the records of a text, all of them in one change or none. A "
          "column of the text is a column of the database by its id or name.",
      .effect = Effect::inserts,
      .arguments = {{.name = "database_id", .required = Doors::all},
                    {.name = "text", .kind = ArgumentKind::body, .required = Doors::all},
                    {.name = "format",
                     .kind = ArgumentKind::choice,
                     .fallback = "csv",
                     .choices = {"csv", "tsv", "json", "jsonl"}},
                    {.name = "separator",
                     .kind = ArgumentKind::choice,
                     .description = "of csv",
                     .fallback = "comma",
                     .choices = {"comma", "semicolon"}},
                    {.name = "file_name",
                     .description = "as issues name the text",
                     .fallback = "text"},
                    {.name = "create",
                     .kind = ArgumentKind::boolean,
                     .description = "make the database where there is none"},
                    {.name = "id_from", .description = "the column of the text that names rows"},
                    {.name = "match",
                     .description = "a column, or _id: a row with the same value is changed"},
                    dry_run_argument()},
      .result = {{"database_id", ResultKind::text},
                 {"created", ResultKind::boolean},
                 {"inserted", ResultKind::integer},
                 {"updated", ResultKind::integer},
                 {"unchanged", ResultKind::integer},
                 {"change", ResultKind::text, Presence::sometimes},
                 {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "database_id",
      .run = import_text};
  return operation;
}

}  // namespace notesdb
