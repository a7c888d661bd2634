#include <algorithm>

#include "database/past.h"
#include "database/write_rows.h"
#include "files/change_id.h"
#include "operations/answer.h"
#include "operations/batch_answer.h"
#include "operations/operation.h"
#include "operations/undecoded.h"

namespace notesdb {

namespace {

const std::vector<Argument>& parts_of_operation() {
  static const std::vector<Argument> parts{
      {.name = "action",
       .kind = ArgumentKind::choice,
       .required = Doors::all,
       .choices = {"insert", "update", "delete"}},
      {.name = "database_id", .required = Doors::all},
      {.name = "row_id"},
      {.name = "filters", .kind = ArgumentKind::filters, .outlined = true},
      {.name = "etag"},
      {.name = "fields", .kind = ArgumentKind::fields},
      {.name = "body", .kind = ArgumentKind::body},
      {.name = "append_body", .kind = ArgumentKind::body},
      {.name = "new_row_id"},
      {.name = "template"}};
  return parts;
}

// The parts that an action has besides action and database_id.
std::vector<std::string> parts_of(RowAction action) {
  switch (action) {
    case RowAction::insert: return {"row_id", "fields", "body", "template"};
    case RowAction::update:
      return {"row_id", "filters", "etag", "fields", "body", "append_body", "new_row_id"};
    case RowAction::remove: break;
  }
  return {"row_id", "filters", "etag"};
}

RowAction parse_action(const std::string& word) {
  if (word == "insert") return RowAction::insert;
  return word == "update" ? RowAction::update : RowAction::remove;
}

Error wrong(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), Map{}};
}

// Parts of one action that stand in another, and parts that are missing.
std::vector<Error> misplaced(const Arguments& parts, RowAction action) {
  std::vector<Error> errors;
  const std::string word = parts.text("action");
  const std::vector<std::string> known = parts_of(action);
  for (const Argument& part : parts_of_operation()) {
    if (part.name == "action" || part.name == "database_id") continue;
    const bool is_known = std::ranges::find(known, part.name) != known.end();
    if (!is_known && parts.find(part.name) != nullptr)
      errors.push_back(wrong("action '" + word + "' takes no " + part.name));
  }
  const bool has_filters = parts.find("filters") != nullptr;
  if (action != RowAction::insert && parts.text("row_id").empty() != has_filters)
    errors.push_back(wrong("action '" + word + "' needs row_id or filters"));
  for (const std::string_view part : {"etag", "new_row_id"})
    if (has_filters && parts.find(part) != nullptr)
      errors.push_back(wrong(std::string(part) + " is for one row, and filters may match many"));
  if (parts.find("body") != nullptr && parts.find("append_body") != nullptr)
    errors.push_back(wrong("body replaces the text and append_body adds to it: give one of them"));
  return errors;
}

// What cannot be an etag matches no row.
std::optional<Etag> etag_in(const Arguments& parts) {
  const auto text = parts.optional_text("etag");
  if (!text) return std::nullopt;
  return parse_etag(*text).value_or(Etag{});
}

BatchOperation operation_of(const Arguments& parts, RowAction action) {
  BatchOperation operation{{.action = action, .database_id = parts.text("database_id")}};
  if (const Value* filters = parts.find("filters")) operation.filters = *filters;
  Map fields;
  if (const Value* given = parts.find("fields")) fields = given->map();
  if (action == RowAction::insert) {
    operation.row = {.fields = std::move(fields),
                     .body = parts.optional_text("body"),
                     .row_id = parts.text("row_id"),
                     .template_key = parts.text("template")};
  } else {
    operation.change = {.row_id = parts.text("row_id"),
                        .etag = etag_in(parts),
                        .fields = std::move(fields),
                        .body = parts.optional_text("body"),
                        .append_body = parts.optional_text("append_body"),
                        .new_row_id = parts.text("new_row_id")};
  }
  return operation;
}

Result<std::vector<BatchOperation>> read_operations(const List& given, Door door) {
  std::vector<BatchOperation> operations;
  std::vector<Error> errors;
  for (std::size_t i = 0; i < given.size(); ++i) {
    std::vector<Error> found;
    if (!given[i].is_map()) {
      found.push_back(wrong("should be a map of action, database_id and what the action takes"));
    } else {
      Decoding decoding = decode_arguments(parts_of_operation(), given[i], door);
      found = std::move(decoding.errors);
      if (found.empty()) {
        const RowAction action = parse_action(decoding.arguments.text("action"));
        found = misplaced(decoding.arguments, action);
        operations.push_back(operation_of(decoding.arguments, action));
      }
    }
    for (Error& error : found) {
      error.message.insert(0, "operations[" + std::to_string(i) + "]: ");
      errors.push_back(std::move(error).with("operation", static_cast<std::int64_t>(i)));
    }
  }
  if (!errors.empty()) return join(errors);
  return operations;
}

Result<Value> batch(const Call& call) {
  const auto operations =
      read_operations(call.arguments.value("operations").list(), call.context.door);
  if (!operations) return operations.error();
  return batch_answer(call, *operations);
}

// More deletions than a person would do by hand are worth a question, also where they come in
// several calls.
Result<std::optional<Destruction>> destroys(const Value& arguments,
                                            Workspace& workspace,
                                            const Rehearsal& rehearsal) {
  std::optional<Destruction> none;
  constexpr std::int64_t many = 10;
  constexpr std::int64_t hour_us = std::int64_t{60} * 60 * 1'000'000;
  if (is_dry_run(arguments)) return none;
  const auto deletes = [](const Value& operation) {
    const Value* action = operation.find("action");
    return action != nullptr && *action == Value("delete");
  };
  if (std::ranges::none_of(list_of(arguments, "operations"), deletes)) return none;
  const Result<Value> planned = rehearsal();
  if (!planned) return planned.error();
  const std::int64_t deletions = planned->find("deleted")->integer();
  const std::int64_t before = deletions_since(workspace.files(), now_us() - hour_us);
  if (deletions == 0 || deletions + before <= many) return none;
  std::string question =
      "This deletes " + std::to_string(deletions) + (deletions == 1 ? " row" : " rows");
  if (before > 0) question += ", after " + std::to_string(before) + " within the last hour";
  return std::optional(Destruction{question + ".", planned->find("applied")->integer()});
}

}  // namespace

const Operation& db_batch() {
  static const Operation operation{
      .name = "db_batch",
      .command = "batch",
      .title = "Change many rows",
      .description =
          "Carries out all operations or none, as one change; each names a row by row_id, or all "
          "that match by filters as in db_query, and sees what those before did.",
      .effect = Effect::updates,
      .arguments = {{.name = "operations",
                     .kind = ArgumentKind::records,
                     .required = Doors::all,
                     .flag_help = "JSON; - reads standard input",
                     .parts = parts_of_operation()},
                    {.name = "expect_count",
                     .kind = ArgumentKind::integer,
                     .description = "fail unless exactly N rows would change"},
                    dry_run_argument()},
      .result = {{"applied", ResultKind::integer},
                 {"results", ResultKind::maps},
                 {"change", ResultKind::text, Presence::sometimes},
                 {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "results",
      .run = batch,
      .destroys = destroys};
  return operation;
}

}  // namespace notesdb
