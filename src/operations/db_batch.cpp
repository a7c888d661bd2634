#include <algorithm>

#include "database/batch.h"
#include "operations/operation.h"
#include "operations/undecoded.h"

namespace notesdb {

namespace {

const std::vector<Argument>& parts_of_operation() {
  static const std::vector<Argument> parts{{.name = "action",
                                            .kind = ArgumentKind::choice,
                                            .required = Doors::all,
                                            .choices = {"insert", "update", "delete"}},
                                           {.name = "database_id", .required = Doors::all},
                                           {.name = "row_id"},
                                           {.name = "etag"},
                                           {.name = "fields", .kind = ArgumentKind::fields},
                                           {.name = "body", .kind = ArgumentKind::body},
                                           {.name = "append_body", .kind = ArgumentKind::body},
                                           {.name = "new_row_id"},
                                           {.name = "template"}};
  return parts;
}

// The parts that an action has besides action and database_id.
std::vector<std::string> parts_of(BatchAction action) {
  switch (action) {
    case BatchAction::insert: return {"row_id", "fields", "body", "template"};
    case BatchAction::update:
      return {"row_id", "etag", "fields", "body", "append_body", "new_row_id"};
    case BatchAction::remove: break;
  }
  return {"row_id", "etag"};
}

BatchAction parse_action(const std::string& word) {
  if (word == "insert") return BatchAction::insert;
  return word == "update" ? BatchAction::update : BatchAction::remove;
}

Error wrong(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), Map{}};
}

// Parts of one action that stand in another, and parts that are missing.
std::vector<Error> misplaced(const Arguments& parts, BatchAction action) {
  std::vector<Error> errors;
  const std::string word = parts.text("action");
  const std::vector<std::string> known = parts_of(action);
  for (const Argument& part : parts_of_operation()) {
    if (part.name == "action" || part.name == "database_id") continue;
    const bool is_known = std::ranges::find(known, part.name) != known.end();
    if (!is_known && parts.find(part.name) != nullptr)
      errors.push_back(wrong("action '" + word + "' takes no " + part.name));
  }
  if (action != BatchAction::insert && parts.text("row_id").empty())
    errors.push_back(wrong("action '" + word + "' needs row_id"));
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

BatchOperation operation_of(const Arguments& parts, BatchAction action) {
  BatchOperation operation{.action = action, .database_id = parts.text("database_id")};
  Map fields;
  if (const Value* given = parts.find("fields")) fields = given->map();
  if (action == BatchAction::insert) {
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
        const BatchAction action = parse_action(decoding.arguments.text("action"));
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

Value results_of(const std::vector<BatchOperation>& operations, const BatchAnswer& answer) {
  List results;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const BatchAnswer::Outcome& outcome = answer.outcomes[i];
    constexpr std::string_view words[] = {"insert", "update", "delete"};
    Value result = Map{{"action", words[static_cast<std::size_t>(operations[i].action)]},
                       {"database_id", operations[i].database_id},
                       {"id", outcome.row_id}};
    if (outcome.etag) result.set("etag", to_text(*outcome.etag));
    result.set("changed", outcome.changed);
    results.push_back(std::move(result));
  }
  return results;
}

Result<Value> batch(const Call& call) {
  const auto operations =
      read_operations(call.arguments.value("operations").list(), call.context.door);
  if (!operations) return operations.error();
  const auto answer = run_batch(call.context.workspace,
                                *operations,
                                call.arguments.integer("expect_count"),
                                call.write_mode());
  if (!answer) return answer.error();
  Value value = Map{{"applied", answer->applied}, {"results", results_of(*operations, *answer)}};
  if (!answer->change.empty()) value.set("change", answer->change);
  if (!answer->diff.empty()) value.set("diff", answer->diff);
  if (!answer->notes.empty()) value.set("notes", Value::list_of(answer->notes));
  if (!answer->durable) value.set("durable", false);
  return value;
}

// More deletions than a person would do by hand are worth a question.
std::optional<Destruction> destroys(const Value& arguments) {
  constexpr std::ptrdiff_t many = 10;
  if (is_dry_run(arguments)) return std::nullopt;
  const std::ptrdiff_t deletions =
      std::ranges::count_if(list_of(arguments, "operations"), [](const Value& operation) {
        const Value* action = operation.find("action");
        return action != nullptr && *action == Value("delete");
      });
  if (deletions <= many) return std::nullopt;
  return Destruction{"This deletes " + std::to_string(deletions) + " rows.", "expect_count"};
}

}  // namespace

const Operation& db_batch() {
  static const Operation operation{
      .name = "db_batch",
      .command = "batch",
      .title = "Change many rows",
      .description =
          "Carries out all operations or none, as one change. Each is {action: insert|update|"
          "delete, database_id, row_id, etag, fields, body}; later ones see what earlier ones did.",
      .effect = Effect::updates,
      .arguments = {{.name = "operations",
                     .kind = ArgumentKind::records,
                     .required = Doors::all,
                     .flag_help = "JSON; - reads standard input"},
                    {.name = "expect_count",
                     .kind = ArgumentKind::integer,
                     .description = "refuse to change another number of rows"},
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
