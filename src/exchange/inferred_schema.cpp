#include "exchange/inferred_schema.h"

#include <algorithm>

#include "exchange/cell.h"
#include "infer/infer_column.h"
#include "json/json_value.h"

namespace notesdb {
namespace {

Look look_of_value(const Value& value, CellForm form) {
  switch (value.kind()) {
    case ValueKind::null: return Look::empty;
    case ValueKind::boolean: return Look::checkbox;
    case ValueKind::integer:
    case ValueKind::real: return Look::number;
    case ValueKind::text:
      return form == CellForm::text ? look_of_plain(value.text()) : look_of_text(value.text());
    case ValueKind::map: return Look::map;
    case ValueKind::list: break;
  }
  const bool is_plain = std::ranges::all_of(
      value.list(), [](const Value& item) { return item.is_scalar() && !item.is_null(); });
  if (!is_plain) return Look::map;
  return value.list().empty() ? Look::empty : Look::list;
}

Observation observe_cell(const Value& value, CellForm form) {
  Observation seen;
  seen.look = look_of_value(value, form);
  seen.is_list = value.is_list();
  if (value.is_list()) {
    for (const Value& item : value.list())
      seen.items.push_back(text_of_cell(item));
  } else if (!value.is_map()) {
    seen.text = text_of_cell(value);
  }
  return seen;
}

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  return text;
}

ColumnType type_where_nothing_holds(const ObservedKey& seen) {
  const bool is_nested = std::ranges::any_of(seen.values, [](const Observation& value) {
    return value.look == Look::list || value.look == Look::map;
  });
  return is_nested ? ColumnType::json : ColumnType::text;
}

Column of_type(ColumnType type, const std::string& id) {
  Column column;
  column.id = column.name = id;
  column.type = type;
  column.type_name = name_of(type);
  return column;
}

}  // namespace

Column infer_source_column(const Source& source, std::size_t place, const std::string& id) {
  const std::string declared =
      place < source.declared_types.size() ? upper_case(source.declared_types[place]) : "";
  if (declared.starts_with("BOOL")) return of_type(ColumnType::checkbox, id);
  ObservedKey seen;
  for (const SourceRecord& record : source.records) {
    if (!record.cells[place]) continue;
    Value value = *record.cells[place];
    if (declared == "JSON" && value.is_text())
      if (auto parsed = parse_json(value.text())) value = *std::move(parsed);
    seen.values.push_back(observe_cell(value, source.form));
  }
  const auto nowhere = [](const auto&) { return std::optional<std::string>(); };
  InferredColumn inferred = infer_column(id, seen, source.records.size(), nowhere);
  if (!inferred.invalid_values.empty()) return of_type(type_where_nothing_holds(seen), id);
  // What holds for these records need not hold for the next.
  inferred.column.required = false;
  inferred.column.unique = false;
  return inferred.column;
}

}  // namespace notesdb
