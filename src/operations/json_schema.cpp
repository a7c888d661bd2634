#include "operations/json_schema.h"

#include <algorithm>
#include <utility>

#include "core/column.h"

namespace notesdb {

namespace {

Value typed(std::string_view type) {
  return Map{{"type", type}};
}

Value list_of(Value items) {
  return Map{{"type", "array"}, {"items", std::move(items)}};
}

Value any_of(List choices) {
  return Map{{"anyOf", std::move(choices)}};
}

Value one_of_words(const std::vector<std::string>& words) {
  return Map{{"type", "string"}, {"enum", Value::list_of(words)}};
}

// Open in so many words: hosts that convert schemas drop every key that a map does not declare, unless
// it says so, and one that closes it refuses without a name what the server refuses with the nearest.
Value open_map() {
  return Map{{"type", "object"}, {"additionalProperties", true}};
}

Value object_with(Map properties, const std::vector<std::string>& required) {
  Map object{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) object.push_back({"required", Value::list_of(required)});
  object.push_back({"additionalProperties", true});
  return object;
}

// What a filter compares with.
Value operand() {
  List scalars{typed("string"), typed("number"), typed("boolean")};
  List operands = scalars;
  operands.push_back(list_of(any_of(std::move(scalars))));
  return any_of(std::move(operands));
}

// A triple, or a group of triples under `any`.
Value filter_element() {
  return object_with({{"field", typed("string")},
                      {"operator", typed("string")},
                      {"value", operand()},
                      {"any", list_of(open_map())}},
                     {});
}

Value sort_element() {
  return object_with({{"field", typed("string")}, {"direction", one_of_words({"asc", "desc"})}},
                     {"field"});
}

Value column_element() {
  return object_with({{"id", typed("string")},
                      {"type", one_of_words(column_type_names())},
                      {"options", list_of(typed("string"))},
                      {"target", typed("string")},
                      {"required", typed("boolean")}},
                     {"id", "type"});
}

Value metric_element() {
  return object_with(
      {{"function", one_of_words({"count", "count_distinct", "sum", "avg", "min", "max"})},
       {"field", typed("string")},
       {"as", typed("string")}},
      {"function"});
}

// That nothing can be counted below nothing goes without saying.
Value integer_from(std::int64_t least) {
  Value integer = typed("integer");
  if (least != 0) integer.set("minimum", least);
  return integer;
}

Value record_element(const std::vector<Argument>& parts);

Value schema_of(const Argument& argument) {
  switch (argument.kind) {
    case ArgumentKind::integer: return integer_from(argument.least);
    case ArgumentKind::boolean: return typed("boolean");
    case ArgumentKind::choice: return one_of_words(argument.choices);
    case ArgumentKind::names: return list_of(typed("string"));
    case ArgumentKind::filters:
      return any_of({list_of(argument.outlined ? open_map() : filter_element()), typed("string")});
    case ArgumentKind::sorts:
      return any_of({list_of(argument.outlined ? open_map() : sort_element()), typed("string")});
    case ArgumentKind::columns: return list_of(column_element());
    case ArgumentKind::metrics: return list_of(metric_element());
    case ArgumentKind::changes: return list_of(open_map());
    case ArgumentKind::records: return list_of(record_element(argument.parts));
    case ArgumentKind::fields:
    case ArgumentKind::settings: return open_map();
    default: return typed("string");
  }
}

Value record_element(const std::vector<Argument>& parts) {
  if (parts.empty()) return open_map();
  Map properties;
  std::vector<std::string> required;
  for (const Argument& part : parts) {
    properties.push_back({part.name, schema_of(part)});
    if (holds_for(part.required, Door::tools)) required.push_back(part.name);
  }
  return object_with(std::move(properties), required);
}

Value schema_of(ResultKind kind) {
  switch (kind) {
    case ResultKind::text: return typed("string");
    case ResultKind::integer: return typed("integer");
    case ResultKind::boolean: return typed("boolean");
    case ResultKind::map: return typed("object");
    // What is in a list goes without saying: a host pays for every byte of it.
    case ResultKind::maps:
    case ResultKind::texts:
    case ResultKind::rows: return typed("array");
  }
  return typed("object");
}

}  // namespace

Value input_schema(const Operation& operation) {
  Map properties;
  List required;
  for (const Argument& argument : operation.arguments) {
    if (!holds_for(argument.offered, Door::tools)) continue;
    Value schema = schema_of(argument);
    if (argument.is_listed && !argument.description.empty())
      schema.set("description", argument.description);
    bool fixed = !argument.fallback.is_null() && holds_for(argument.fallback_at, Door::tools);
    if (fixed) schema.set("default", argument.fallback);
    properties.push_back({argument.name, std::move(schema)});
    if (holds_for(argument.required, Door::tools)) required.emplace_back(argument.name);
  }
  Value schema = typed("object");
  if (!properties.empty()) schema.set("properties", std::move(properties));
  if (!required.empty()) schema.set("required", std::move(required));
  schema.set("additionalProperties", false);
  return schema;
}

// The member that an answer is about. What stands beside it is in the docs: a model that reads this
// list pays for every byte of it, and sees the others in every answer.
Value output_schema(const Operation& operation) {
  Value schema = typed("object");
  for (const ResultMember& member : operation.result)
    if (member.name == operation.shown)
      schema.set("properties", Map{{member.name, schema_of(member.kind)}});
  return schema;
}

Value annotations(const Operation& operation) {
  if (!writes(operation.effect)) return Map{{"readOnlyHint", true}, {"openWorldHint", false}};
  bool destructive = operation.effect == Effect::updates || operation.effect == Effect::deletes;
  Map hints{{"readOnlyHint", false}, {"destructiveHint", destructive}};
  // Only said where it is so: unlike the others, false is what a host takes it for anyway.
  if (operation.idempotent) hints.push_back({"idempotentHint", true});
  hints.push_back({"openWorldHint", false});
  return hints;
}

Value tool_definition(const Operation& operation) {
  Map tool{{"name", operation.name},
           {"title", operation.title},
           {"description", operation.description},
           {"inputSchema", input_schema(operation)},
           {"outputSchema", output_schema(operation)},
           {"annotations", annotations(operation)}};
  if (!operation.meta.empty()) tool.push_back({"_meta", operation.meta});
  return tool;
}

}  // namespace notesdb
