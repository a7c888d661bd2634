#include "core/column.h"

#include <algorithm>
#include <array>

namespace notesdb {

namespace {

struct TypeName {
  ColumnType type;
  std::string_view name;
};

constexpr std::array type_names{
    TypeName{ColumnType::text, "text"},
    TypeName{ColumnType::number, "number"},
    TypeName{ColumnType::checkbox, "checkbox"},
    TypeName{ColumnType::date, "date"},
    TypeName{ColumnType::datetime, "datetime"},
    TypeName{ColumnType::select, "select"},
    TypeName{ColumnType::multi_select, "multi-select"},
    TypeName{ColumnType::url, "url"},
    TypeName{ColumnType::relation, "relation"},
    TypeName{ColumnType::list, "list"},
    TypeName{ColumnType::json, "json"},
    TypeName{ColumnType::rollup, "rollup"},
    TypeName{ColumnType::formula, "formula"},
};

}  // namespace

std::string_view name_of(ColumnType type) {
  auto found = std::ranges::find(type_names, type, &TypeName::type);
  return found == type_names.end() ? "unknown" : found->name;
}

ColumnType parse_column_type(std::string_view name) {
  auto found = std::ranges::find(type_names, name, &TypeName::name);
  return found == type_names.end() ? ColumnType::unknown : found->type;
}

std::vector<std::string> column_type_names() {
  std::vector<std::string> names;
  names.reserve(type_names.size());
  for (const TypeName& entry : type_names)
    names.emplace_back(entry.name);
  return names;
}

std::string_view name_of(OnDelete choice) {
  switch (choice) {
    case OnDelete::refuse: return "refuse";
    case OnDelete::clear: return "clear";
    case OnDelete::keep: break;
  }
  return "keep";
}

std::optional<OnDelete> parse_on_delete(std::string_view name) {
  for (const OnDelete choice : {OnDelete::keep, OnDelete::refuse, OnDelete::clear})
    if (name_of(choice) == name) return choice;
  return std::nullopt;
}

std::string_view name_of(AutoDate choice) {
  switch (choice) {
    case AutoDate::created: return "created";
    case AutoDate::updated: return "updated";
    case AutoDate::none: break;
  }
  return "";
}

std::optional<AutoDate> parse_auto_date(std::string_view name) {
  for (const AutoDate choice : {AutoDate::created, AutoDate::updated})
    if (name_of(choice) == name) return choice;
  return std::nullopt;
}

bool Column::holds_date() const {
  return type == ColumnType::date || type == ColumnType::datetime;
}

bool Column::holds_list() const {
  return type == ColumnType::list || type == ColumnType::multi_select ||
         (type == ColumnType::relation && multiple);
}

bool Column::is_computed() const {
  return type == ColumnType::rollup || type == ColumnType::formula || rollup || !expression.empty();
}

bool Column::writable() const {
  return !is_computed() && type != ColumnType::unknown;
}

}  // namespace notesdb
