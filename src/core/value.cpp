#include "core/value.h"

#include <algorithm>

#include "core/number_text.h"

namespace notesdb {

std::string_view name_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::null: return "null";
    case ValueKind::boolean: return "boolean";
    case ValueKind::integer:
    case ValueKind::real: return "number";
    case ValueKind::text: return "text";
    case ValueKind::list: return "list";
    case ValueKind::map: return "map";
  }
  return "value";
}

Value Value::list_of(const std::vector<std::string>& texts) {
  return List(texts.begin(), texts.end());
}

const Value* find_member(const Map& map, std::string_view key) {
  auto found = std::ranges::find(map, key, &Member::key);
  return found == map.end() ? nullptr : &found->value;
}

const Value* Value::find(std::string_view key) const {
  return is_map() ? find_member(map(), key) : nullptr;
}

Value* Value::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

Value& Value::set(std::string_view key, Value value) {
  if (is_null()) data_ = Map{};
  if (Value* existing = find(key)) return *existing = std::move(value);
  return map().emplace_back(Member{std::string(key), std::move(value)}).value;
}

bool operator==(const Value& a, const Value& b) {
  return a.data_ == b.data_;
}

bool is_empty(const Value& value) {
  switch (value.kind()) {
    case ValueKind::null: return true;
    case ValueKind::text: return value.text().empty();
    case ValueKind::list: return std::ranges::all_of(value.list(), &Value::is_null);
    default: return false;
  }
}

namespace {

std::string display_text(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string display_list(const List& list) {
  std::string out = "[";
  for (const Value& item : list)
    out += (out.size() > 1 ? ", " : "") + to_display(item);
  return out + "]";
}

std::string display_map(const Map& map) {
  std::string out = "{";
  for (const Member& member : map) {
    out +=
        (out.size() > 1 ? ", " : "") + display_text(member.key) + ": " + to_display(member.value);
  }
  return out + "}";
}

}  // namespace

std::string to_display(const Value& value) {
  switch (value.kind()) {
    case ValueKind::null: return "null";
    case ValueKind::boolean: return value.boolean() ? "true" : "false";
    case ValueKind::integer: return std::to_string(value.integer());
    case ValueKind::real: return shortest_text(value.real());
    case ValueKind::text: return display_text(value.text());
    case ValueKind::list: return display_list(value.list());
    case ValueKind::map: return display_map(value.map());
  }
  return "";
}

}  // namespace notesdb
