#include "exchange/cell.h"

#include <algorithm>

#include "core/text.h"
#include "json/json_value.h"

namespace notesdb {
namespace {

// [[a]] is a link, not a list in a list.
bool looks_like_json_list(std::string_view text) {
  return text.starts_with('[') && !text.starts_with("[[");
}

// Whether an item between commas is read back as it is.
bool is_plain_item(const Value& item) {
  if (!item.is_scalar() || item.is_null()) return false;
  if (!item.is_text()) return true;
  const std::string& text = item.text();
  return !text.empty() && text.find(',') == std::string::npos && trimmed(text, " \t") == text;
}

std::string text_of_list(const List& list) {
  const bool is_plain = !list.empty() && std::ranges::all_of(list, is_plain_item);
  if (!is_plain) return to_json(list);
  std::string text;
  for (const Value& item : list)
    text += (text.empty() ? "" : ",") + text_of_cell(item);
  return looks_like_json_list(text) ? to_json(list) : text;
}

Value list_of_cell(const std::string& text) {
  if (looks_like_json_list(text)) {
    auto list = parse_json(text);
    if (list && list->is_list()) return *std::move(list);
  }
  List items;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (const auto item = trimmed(rest.substr(0, comma), " \t"); !item.empty())
      items.emplace_back(item);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return items;
}

}  // namespace

std::string text_of_cell(const Value& value) {
  switch (value.kind()) {
    case ValueKind::null: return "";
    case ValueKind::text: return value.text();
    case ValueKind::list: return text_of_list(value.list());
    default: return to_json(value);
  }
}

Value value_of_cell(const Column* column, const std::string& text) {
  if (column == nullptr) return text;
  if (column->holds_list()) return list_of_cell(text);
  if (column->type != ColumnType::json) return text;
  auto value = parse_json(text);
  return value ? *std::move(value) : Value(text);
}

Value for_cell(const Column& column, const Value& value) {
  if (column.type != ColumnType::json || value.is_null()) return value;
  const bool is_plain_text = value.is_text() && !parse_json(value.text());
  return is_plain_text ? value : Value(to_json(value));
}

bool runs_in_spreadsheet(std::string_view text) {
  constexpr std::string_view starts = "=+-@\t\r\n";
  if (text.empty() || starts.find(text.front()) == std::string_view::npos) return false;
  const auto number = parse_json(text.substr(text.front() == '+' ? 1 : 0));
  return !number || !number->is_number();
}

}  // namespace notesdb
