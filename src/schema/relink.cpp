#include "schema/relink.h"

#include <utility>

#include "yaml/scalar.h"

namespace notesdb {

namespace {

bool leads_there(const Schema& schema, const Relink& how, const Value* column_id) {
  if (column_id == nullptr || !column_id->is_text()) return false;
  const Column* column = schema.find(column_id->text());
  return column != nullptr && column->type == ColumnType::relation && column->target == how.target;
}

void relink_member(const Relink& how, Value& map, std::string_view key) {
  if (Value* value = map.find(key)) *value = relink_relation(how, *value);
}

// Maps that name a column by `key` and hold a value of it, at any depth.
void relink_maps(const Schema& schema,
                 const Relink& how,
                 std::string_view key,
                 std::string_view held,
                 Value& value) {
  if (value.is_list()) {
    for (Value& item : value.list())
      relink_maps(schema, how, key, held, item);
  }
  if (!value.is_map()) return;
  if (leads_there(schema, how, value.find(key))) relink_member(how, value, held);
  for (Member& member : value.map())
    relink_maps(schema, how, key, held, member.value);
}

void relink_templates(const Schema& schema, const Relink& how, Value& templates) {
  if (!templates.is_map()) return;
  for (Member& made : templates.map()) {
    Value* fields = made.value.find("fields");
    if (fields == nullptr || !fields->is_map()) continue;
    for (Member& field : fields->map()) {
      const Value id = field.key;
      if (leads_there(schema, how, &id)) field.value = relink_relation(how, field.value);
    }
  }
}

}  // namespace

Result<Edit> relink_schema(const Schema& schema, const Relink& how, Note& note) {
  Note changed = note;
  if (auto edit = relink(Schema{}, how, changed); !edit) return edit;
  for (const std::string_view key : {"columns", "views", "templates"}) {
    const Node* node = changed.find(key);
    if (node == nullptr) continue;
    Value value = read_untyped(*node);
    if (key == "columns") relink_maps(schema, how, "id", "default", value);
    if (key == "views") relink_maps(schema, how, "field", "value", value);
    if (key == "templates") relink_templates(schema, how, value);
    if (auto edit = changed.set(key, value); !edit) return edit;
  }
  const Edit outcome = changed.bytes() == note.bytes() ? Edit::unchanged : Edit::changed;
  note = std::move(changed);
  return outcome;
}

}  // namespace notesdb
