#include "operations/answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Result<Value> update_row(const Call& call) {
  if (call.arguments.find("body") != nullptr && call.arguments.find("append_body") != nullptr) {
    return Error{ErrorCode::invalid_argument,
                 "body replaces the text and append_body adds to it: give one of them",
                 Map{}};
  }
  RowChange change;
  change.row_id = call.arguments.text("row_id");
  change.etag = call.etag();
  if (const Value* fields = call.arguments.find("fields")) change.fields = fields->map();
  change.body = call.arguments.optional_text("body");
  change.append_body = call.arguments.optional_text("append_body");
  change.new_row_id = call.arguments.text("new_row_id");
  Result<WriteAnswer> answer = call.database->update(change, call.write_mode());
  if (!answer) return answer.error();
  return write_result(*std::move(answer));
}

}  // namespace

const Operation& db_update_row() {
  static const Operation operation{
      .name = "db_update_row",
      .command = "update",
      .title = "Update a row",
      .description =
          "Changes the fields named and nothing else; null clears one. Needs the etag you read; "
          "a CONFLICT answers with the row as it is now.",
      .effect = Effect::updates,
      .idempotent = true,
      .arguments = {database_argument(),
                    row_argument(),
                    etag_argument(Doors::tools),
                    {.name = "fields", .kind = ArgumentKind::fields},
                    {.name = "body", .kind = ArgumentKind::body, .description = "replaces it"},
                    {.name = "append_body", .kind = ArgumentKind::body},
                    {.name = "new_row_id", .description = "renames it"},
                    dry_run_argument()},
      .result = {{"row", ResultKind::map},
                 {"changed", ResultKind::boolean},
                 {"change", ResultKind::text, Presence::sometimes},
                 {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "row",
      .run = update_row};
  return operation;
}

}  // namespace notesdb
