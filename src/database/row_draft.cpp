#include "database/row_draft.h"

#include <algorithm>
#include <utility>

#include "core/date_format.h"
#include "database/row_template.h"
#include "note/front_matter.h"

namespace notesdb {

Value moment_for(const Column& column, Timestamp now) {
  constexpr std::int64_t second = 1'000'000;
  now.microseconds -= now.microseconds % second;
  if (column.type == ColumnType::date) now.has_time = false;
  return format_moment(now);
}

Map auto_fields(const Schema& schema, Timestamp now, AutoWrite write) {
  Map fields;
  for (const Column& column : schema.columns) {
    const bool is_set = column.auto_date == AutoDate::updated ||
                        (column.auto_date == AutoDate::created && write == AutoWrite::insert);
    if (is_set) fields.push_back({column.id, moment_for(column, now)});
  }
  return fields;
}

namespace {

// A date column's default may be relative: `default: today`.
Value resolve_default(const Column& column, Timestamp now) {
  if (!column.holds_date() || !column.default_value->is_text()) return *column.default_value;
  const auto moment = parse_relative_moment(column.default_value->text(), now);
  return moment ? moment_for(column, *moment) : *column.default_value;
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

Result<RowDraft> draft_row(const Schema& schema, const NewRow& row, Timestamp now) {
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
    const auto known = variables_of(**chosen);
    for (const Member& variable : row.variables) {
      if (std::ranges::find(known, variable.key) != known.end()) continue;
      return unknown_name(ErrorCode::invalid_argument,
                          "variable of the template '" + (*chosen)->key + "'",
                          variable.key,
                          known);
    }
    Template used = **chosen;
    if (row.body) used.body.clear();
    Prefilled filled = fill_template(schema, used, row.fields, row.variables, now);
    for (const std::string& name : filled.unfilled) {
      draft.warnings.push_back("the template '" + (*chosen)->key + "' has the variable '" + name +
                               "', which was not given; its place is empty");
    }
    for (Member& field : filled.fields)
      fields.set(field.key, std::move(field.value));
    draft.body = std::move(filled.body);
  }
  for (const Member& field : row.fields)
    fields.set(field.key, field.value);
  for (const Column& column : schema.columns) {
    const bool is_given = column.auto_date != AutoDate::none || fields.find(column.id) != nullptr;
    if (column.required && !is_given) fields.set(column.id, Value());
  }
  if (row.body) draft.body = *row.body;
  draft.body = with_last_newline(std::move(draft.body), "");
  draft.judged = judge_fields(schema, fields.map());
  for (Member& field : auto_fields(schema, now, AutoWrite::insert))
    draft.judged.fields.push_back(std::move(field));
  return draft;
}

std::string with_last_newline(std::string text, std::string_view note) {
  if (text.empty() || text.ends_with('\n')) return text;
  const bool has_lines = text.find('\n') != text.npos;
  return text += line_ending_of(has_lines ? text : note);
}

IdSource id_source(const Schema& schema, const Map& fields) {
  IdSource source;
  const RowIdRule& rule = schema.row_id;
  const bool is_dated = rule.style == RowIdStyle::date;
  const Column* column = !rule.from.empty() ? schema.find(rule.from)
                         : is_dated         ? nullptr
                                            : title_column(schema);
  const Value* value = column == nullptr ? nullptr : find_member(fields, column->id);
  if (value != nullptr && !value->is_null())
    source.text = value->is_text() ? value->text() : to_display(*value);
  for (const Column& dates : schema.columns) {
    if (!is_dated || source.date || !dates.holds_date()) continue;
    const Value* date = find_member(fields, dates.id);
    if (date != nullptr && date->is_text()) source.date = parse_given_date(dates, date->text());
  }
  return source;
}

}  // namespace notesdb
