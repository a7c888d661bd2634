#include "operations/answer.h"
#include "operations/batch_answer.h"
#include "operations/meant_rows.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Result<Value> run_on_all(const Call& call, Value filters, RowChange change) {
  if (change.etag || !change.new_row_id.empty()) {
    return Error{ErrorCode::invalid_argument,
                 "an etag and a new id are for one row, and filters may match many",
                 Map{}};
  }
  BatchOperation operation{{.action = RowAction::update, .database_id = call.database->id()}};
  operation.change = std::move(change);
  operation.filters = std::move(filters);
  return batch_answer(call, {operation});
}

Result<Value> run(const Call& call) {
  auto filters = bulk_filters(call);
  if (!filters) return filters.error();
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
  if (*filters) return run_on_all(call, **std::move(filters), std::move(change));
  Result<WriteAnswer> answer =
      update_row(call.context.workspace, call.database->id(), std::move(change), call.write_mode());
  if (!answer) return with_meant_rows(answer.error(), call);
  return write_result(*std::move(answer), call.context.max_bytes());
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
                    row_or_filters_argument(),
                    etag_argument(Doors::tools),
                    {.name = "fields", .kind = ArgumentKind::fields},
                    {.name = "body", .kind = ArgumentKind::body, .description = "replaces it"},
                    {.name = "append_body",
                     .kind = ArgumentKind::body,
                     .flag_help = "text to add at the end of the body"},
                    {.name = "new_row_id", .description = "renames it"},
                    bulk_filters_argument(),
                    bulk_count_argument(),
                    dry_run_argument()},
      .result = {{"row", ResultKind::map},
                 {"changed", ResultKind::boolean},
                 {"change", ResultKind::text, Presence::sometimes},
                 {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "row",
      .run = run};
  return operation;
}

}  // namespace notesdb
