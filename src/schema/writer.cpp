#include <string>

#include "schema/document.h"

namespace notesdb {

namespace {

void add_text(Map& map, std::string_view key, const std::string& text) {
  if (!text.empty()) map.push_back({std::string(key), text});
}

void add_texts(Map& map, std::string_view key, const std::vector<std::string>& texts) {
  if (!texts.empty()) map.push_back({std::string(key), Value::list_of(texts)});
}

void add_flag(Map& map, std::string_view key, bool flag) {
  if (flag) map.push_back({std::string(key), true});
}

void add_value(Map& map, std::string_view key, const Value& value) {
  if (!value.is_null()) map.push_back({std::string(key), value});
}

Map to_map(const View& view) {
  Map map{{"id", view.id}};
  if (view.name != view.id) add_text(map, "name", view.name);
  add_text(map, "type", view.type);
  add_texts(map, "columns", view.columns);
  add_text(map, "group_by", view.group_by);
  add_text(map, "date_column", view.date_column);
  add_value(map, "filters", view.filters);
  add_value(map, "sorts", view.sorts);
  return map;
}

Map to_map(const Template& made) {
  Map map;
  if (made.name != made.key) add_text(map, "name", made.name);
  add_text(map, "title", made.title);
  if (!made.fields.empty()) map.push_back({"fields", made.fields});
  add_text(map, "body", made.body);
  return map;
}

Map to_map(const RowIdRule& rule) {
  const RowIdRule usual;
  Map map;
  if (rule.style != usual.style) map.push_back({"style", std::string(name_of(rule.style))});
  if (rule.prefix != usual.prefix) map.push_back({"prefix", rule.prefix});
  if (rule.digits != usual.digits) map.push_back({"digits", rule.digits});
  add_text(map, "from", rule.from);
  return map;
}

Map to_map(const RowFiles& rows) {
  Map map;
  add_texts(map, "include", rows.include);
  add_texts(map, "exclude", rows.exclude);
  if (rows.layout == RowLayout::folder) map.push_back({"layout", "folder"});
  return map;
}

}  // namespace

Map to_map(const Column& column) {
  Map map{{"id", column.id}};
  if (column.name != column.id) add_text(map, "name", column.name);
  bool named = !column.type_name.empty();
  map.push_back({"type", named ? column.type_name : std::string(name_of(column.type))});
  add_text(map, "description", column.description);
  add_texts(map, "options", column.options);
  add_text(map, "target", column.target);
  add_flag(map, "multiple", column.multiple);
  if (column.on_delete != OnDelete::keep)
    add_text(map, "on_delete", std::string(name_of(column.on_delete)));
  add_flag(map, "required", column.required);
  add_flag(map, "unique", column.unique);
  add_value(map, "default", column.default_value.value_or(nullptr));
  add_value(map, "min", column.min.value_or(nullptr));
  add_value(map, "max", column.max.value_or(nullptr));
  add_text(map, "auto", std::string(name_of(column.auto_date)));
  if (column.formats.size() == 1) add_text(map, "format", column.formats.front());
  if (column.formats.size() > 1) add_texts(map, "format", column.formats);
  if (column.decimals) map.push_back({"decimals", std::int64_t{*column.decimals}});
  add_text(map, "pattern", column.pattern);
  add_text(map, "merge", column.merge);
  if (column.rollup) {
    add_text(map, "relation", column.rollup->relation);
    add_text(map, "field", column.rollup->field);
    add_text(map, "function", column.rollup->function);
  }
  return map;
}

Map to_map(const Schema& schema) {
  Map map{{"name", schema.name}};
  add_text(map, "description", schema.description);
  List columns;
  for (const Column& column : schema.columns)
    columns.push_back(to_map(column));
  map.push_back({"columns", std::move(columns)});
  List views;
  for (const View& view : schema.views)
    views.push_back(to_map(view));
  if (!views.empty()) map.push_back({"views", std::move(views)});
  Map templates;
  for (const Template& made : schema.templates)
    templates.push_back({made.key, to_map(made)});
  if (!templates.empty()) map.push_back({"templates", std::move(templates)});
  if (Map rule = to_map(schema.row_id); !rule.empty()) map.push_back({"row_id", std::move(rule)});
  if (Map rows = to_map(schema.rows); !rows.empty()) map.push_back({"rows", std::move(rows)});
  if (schema.next_row_id) map.push_back({"next_row_id", *schema.next_row_id});
  return map;
}

Result<std::string> write_schema(const Schema& schema, std::string_view body, NoteFormat format) {
  bool yaml = format == NoteFormat::yaml;
  Result<Note> note = Note::parse(yaml ? "" : "---\n---\n", format);
  if (!note) return std::move(note).error();
  for (const Member& member : to_map(schema)) {
    Result<Edit> edit = note->set(member.key, member.value);
    if (!edit) return std::move(edit).error();
  }
  if (!body.empty()) {
    Result<Edit> edit = note->set_body(body);
    if (!edit) return std::move(edit).error();
  }
  return note->bytes();
}

}  // namespace notesdb
