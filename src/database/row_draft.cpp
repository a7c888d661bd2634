#include "database/row_draft.h"

#include <utility>

#include "database/row_template.h"

namespace notesdb {
namespace {

// A date column's default may be relative: `default: today`.
Value resolve_default(const Column& column, Moment now) {
  const bool is_moment = column.type == ColumnType::date || column.type == ColumnType::datetime;
  if (!is_moment || !column.default_value->is_text()) return *column.default_value;
  auto moment = parse_relative_moment(column.default_value->text(), now);
  if (!moment) return *column.default_value;
  if (column.type == ColumnType::date) moment->has_time = false;
  return format_moment(*moment);
}

Result<const Template*> find_template(const Schema& schema, const std::string& key) {
  const Template* chosen = schema.find_template(key);
  if (chosen != nullptr) return chosen;
  std::vector<std::string> keys;
  for (const Template& one : schema.templates)
    keys.push_back(one.key);
  return unknown_name(ErrorCode::invalid_argument, "template", key, keys);
}

}  // namespace

Result<RowDraft> draft_row(const Schema& schema,
                           const NewRow& row,
                           Moment now,
                           const RowExists& exists) {
  RowDraft draft;
  Value fields = Map{};
  for (const Column& column : schema.columns) {
    if (column.default_value && column.writable()) {
      fields.set(column.id, resolve_default(column, now));
    }
  }
  if (!row.template_key.empty()) {
    const auto chosen = find_template(schema, row.template_key);
    if (!chosen) return chosen.error();
    Prefilled filled = fill_template(schema, **chosen, row.fields, row.variables, now);
    for (Member& field : filled.fields)
      fields.set(field.key, std::move(field.value));
    draft.body = std::move(filled.body);
  }
  for (const Member& field : row.fields)
    fields.set(field.key, field.value);
  for (const Column& column : schema.columns) {
    if (column.required && fields.find(column.id) == nullptr) fields.set(column.id, Value());
  }
  if (row.body) draft.body = *row.body;
  draft.judged = judge_fields(schema, fields.map(), exists);
  return draft;
}

}  // namespace notesdb
