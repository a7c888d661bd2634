#include "cli/records.h"

#include <algorithm>
#include <array>

#include "json/json_value.h"

namespace notesdb::cli {

namespace {

// What a record has beside its fields and a table has no use for.
constexpr std::array<std::string_view, 4> hidden{"etag", "issues", "fields", "extra"};
// Shown of a single record only, after its fields.
constexpr std::array<std::string_view, 2> late{"modified", "body"};

template <std::size_t size>
bool is_among(std::string_view name, const std::array<std::string_view, size>& names) {
  return std::ranges::find(names, name) != names.end();
}

// What one of the things is called that `shown` names: a path of `paths`.
std::string singular(const std::string& shown) {
  return shown.ends_with('s') ? shown.substr(0, shown.size() - 1) : shown;
}

// The record with its fields, then its undeclared keys, laid out flat.
Map flat(const Value& record, const std::string& shown) {
  Map map;
  if (!record.is_map()) return Map{{singular(shown), record}};
  Map behind;
  for (const Member& member : record.map()) {
    if (is_among(member.key, late))
      behind.push_back(member);
    else if (!is_among(member.key, hidden))
      map.push_back(member);
  }
  for (std::string_view part : {"fields", "extra"}) {
    const Value* members = record.find(part);
    if (members != nullptr && members->is_map())
      map.insert(map.end(), members->map().begin(), members->map().end());
  }
  map.insert(map.end(), behind.begin(), behind.end());
  return map;
}

void add_column(std::vector<std::string>& columns, const std::string& name) {
  if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
}

// The columns that the result names, so that an empty one still has its place and order.
std::vector<std::string> named_columns(const Value& result, const Value& records) {
  const Value* names = result.find("columns");
  bool has_fields = records.is_list() &&
                    (records.list().empty() || records.list().front().find("fields") != nullptr);
  if (names == nullptr || names == &records || !names->is_list() || !has_fields) return {};
  // What is no row has a path in place of an id.
  const bool has_paths = result.find("base") != nullptr;
  std::vector<std::string> columns{has_paths ? "path" : "id"};
  for (const Value& name : names->list()) {
    // Pseudo-fields stand beside the fields of a row, under their plain names.
    if (!name.is_text() || name.text() == "_id") continue;
    columns.push_back(name.text() == "_modified" ? "modified" : name.text());
  }
  return columns;
}

std::vector<Value> cells(const Map& record, const std::vector<std::string>& columns) {
  std::vector<Value> row;
  row.reserve(columns.size());
  for (const std::string& column : columns) {
    const Value* value = find_member(record, column);
    row.push_back(value == nullptr ? Value() : *value);
  }
  return row;
}

const Value& shown_member(const Value& result, const std::string& shown) {
  const Value* member = result.find(shown);
  return member == nullptr ? result : *member;
}

// A list of things that have ids is told by the ids.
bool all_have_ids(const List& list) {
  return !list.empty() && std::ranges::all_of(list, [](const Value& item) {
    return item.find("id") != nullptr && item.find("id")->is_text();
  });
}

std::string list_text(const List& list) {
  bool by_id = all_have_ids(list);
  std::string text;
  for (const Value& item : list)
    text += (text.empty() ? "" : ", ") + cell_text(by_id ? *item.find("id") : item);
  return text;
}

// A place that names a row as a person would say it: stories/story-006 (blocked_by). A row with
// another id: stories/row-003 is now row-007. Other maps as JSON.
std::string map_text(const Value& map) {
  const auto text_of = [&](std::string_view key) {
    const Value* value = map.find(key);
    return value != nullptr && value->is_text() ? value->text() : std::string();
  };
  const std::string row = text_of("row_id");
  const std::string place = text_of(row.empty() ? "path" : "database_id");
  const std::string field = text_of("field");
  if (const std::string now = text_of("new_row_id"); !now.empty() && !row.empty())
    return place + "/" + row + " is now " + now;
  const std::size_t members = row.empty() ? 2 : 3;
  if (place.empty() || field.empty() || map.map().size() != members) return to_json(map);
  return place + (row.empty() ? "" : "/" + row) + " (" + (field == "_body" ? "body" : field) + ")";
}

// Whether the records are lists, each in the order of the result's columns.
bool is_by_columns(const Value& result, const Value& records) {
  const Value* names = result.find("columns");
  return names != nullptr && names != &records && names->is_list() && records.is_list() &&
         result.find("returned") != nullptr && result.find("total") == nullptr &&
         std::ranges::all_of(records.list(), &Value::is_list) &&
         std::ranges::all_of(names->list(), &Value::is_text);
}

}  // namespace

Records records_of(const Value& result, const std::string& shown) {
  const Value& member = shown_member(result, shown);
  Records records;
  if (is_by_columns(result, member)) {
    for (const Value& name : result.find("columns")->list())
      records.columns.push_back(name.text());
    for (const Value& row : member.list())
      records.rows.push_back(row.list());
    return records;
  }
  std::vector<Map> flattened;
  records.is_single = !member.is_list();
  if (member.is_list()) {
    records.columns = named_columns(result, member);
    for (const Value& record : member.list())
      flattened.push_back(flat(record, shown));
  } else {
    flattened.push_back(flat(member, shown));
  }
  for (const Map& record : flattened)
    for (const Member& cell : record)
      add_column(records.columns, cell.key);
  for (const Map& record : flattened)
    records.rows.push_back(cells(record, records.columns));
  return records;
}

List named_records(const Value& result, const std::string& shown) {
  const Value& member = shown_member(result, shown);
  if (!is_by_columns(result, member)) return member.is_list() ? member.list() : List{member};
  const Records records = records_of(result, shown);
  List named;
  for (const auto& row : records.rows) {
    Map map;
    for (std::size_t i = 0; i < row.size(); ++i)
      map.push_back({records.columns[i], row[i]});
    named.emplace_back(std::move(map));
  }
  return named;
}

std::vector<std::string> ids_of(const Value& result, const std::string& shown) {
  std::vector<std::string> ids;
  for (const Value& record : named_records(result, shown)) {
    const Value* id = record.find("id");
    if (id == nullptr) id = record.find("_id");
    if (id == nullptr) id = record.find("database_id");
    if (id != nullptr && id->is_text()) ids.push_back(id->text());
  }
  return ids;
}

std::string cell_text(const Value& value) {
  switch (value.kind()) {
    case ValueKind::null: return "";
    case ValueKind::text: return value.text();
    case ValueKind::list: return list_text(value.list());
    case ValueKind::map: return map_text(value);
    default: return to_json(value);
  }
}

}  // namespace notesdb::cli
