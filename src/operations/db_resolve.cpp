#include "git/conflicts.h"
#include "json/json_value.h"
#include "operations/answer.h"
#include "operations/operation.h"
#include "yaml/scalar.h"

namespace notesdb {

namespace {

std::optional<ConflictSide> side_of(const Arguments& arguments) {
  std::string side = arguments.text("side");
  if (arguments.is_set("ours") || side == "ours") return ConflictSide::ours;
  if (arguments.is_set("theirs") || side == "theirs") return ConflictSide::theirs;
  if (side == "base") return ConflictSide::base;
  return std::nullopt;
}

// A value as text: JSON for what is not a text, else as the column would read it.
Value value_of(const Column* column, const std::string& text) {
  bool is_structured = text.starts_with('[') || text.starts_with('{');
  if (is_structured) {
    if (Result<Value> value = parse_json(text)) return *value;
  }
  if (column == nullptr) return read_untyped_plain(text);
  return read_as(*column, NodeStyle::plain, text).value;
}

Result<Value> resolve(const Call& call) {
  const Arguments& arguments = call.arguments;
  ResolveRequest request{call.database->id(), arguments.text("row_id"), {}, false};
  request.dry_run = call.write_mode() == WriteMode::dry_run;
  request.how.field = arguments.text("field");
  request.how.side = side_of(arguments);
  std::optional<std::string> value = arguments.optional_text("value");
  if (request.how.side.has_value() == value.has_value()) {
    return Error{ErrorCode::invalid_argument,
                 "a conflict is resolved with one side (ours, theirs, base) or with a value",
                 Map{}};
  }
  if (value) {
    Result<SchemaAnswer> schema = call.database->schema();
    if (!schema) return schema.error();
    request.how.value = value_of(schema->schema.find(request.how.field), *value);
  }
  Result<Resolved> resolved = resolve_conflict(call.context.workspace, request);
  if (!resolved) return resolved.error();
  Value settled = Map{{"id", request.row_id}, {"path", resolved->path}};
  settled.set("still_in_conflict", Value::list_of(resolved->still_in_conflict));
  return with_receipt(Map{{"resolved", std::move(settled)}}, *resolved);
}

}  // namespace

const Operation& db_resolve() {
  static const Operation operation{
      .name = "db_resolve",
      .command = "resolve",
      .title = "Resolve a merge conflict",
      .description =
          "Resolves a field that a git merge left in conflict (its issue shows both "
          "values), by a side or a value; without field the whole row.",
      .effect = Effect::updates,
      .arguments = {database_argument(),
                    row_argument(),
                    {.name = "field",
                     .flag_help = "only this field; without it all fields in conflict"},
                    {.name = "side",
                     .kind = ArgumentKind::choice,
                     .choices = {"ours", "theirs", "base"},
                     .flag_help = "whose value to take"},
                    {.name = "ours",
                     .kind = ArgumentKind::boolean,
                     .offered = Doors::commands,
                     .flag_help = "take the value of this clone; the same as --side ours"},
                    {.name = "theirs",
                     .kind = ArgumentKind::boolean,
                     .offered = Doors::commands,
                     .flag_help = "take the value of the other clone; the same as --side theirs"},
                    {.name = "value",
                     .kind = ArgumentKind::body,
                     .flag_help = "take this value instead of either"},
                    dry_run_argument()},
      .result = {{"resolved", ResultKind::map},
                 {"change", ResultKind::text, Presence::sometimes},
                 {"diff", ResultKind::text, Presence::sometimes}},
      .shown = "resolved",
      .run = resolve};
  return operation;
}

}  // namespace notesdb
