// Value: what a field holds, free of how a file or a protocol spells it.
//
//   null | boolean | integer (64 bits) | real | text | list | map
//
// A date is text: it is returned as it was written and compared through core/date.h. A whole
// number beyond 64 bits is text too, so that no digit is ever lost. A map keeps the order of its
// keys. A field that is absent is not a Value: it is an empty optional.
//
// A Value owns what it holds; copies are independent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace notesdb {

class Value;

// One key of a map with its value. A template only so that it is complete as soon as Value is,
// which clang wants of a Map inside of Value.
template <typename V>
struct BasicMember {
  std::string key;
  V value;
  friend bool operator==(const BasicMember& a, const BasicMember& b) = default;
};

using Member = BasicMember<Value>;
using List = std::vector<Value>;
using Map = std::vector<Member>;

enum class ValueKind { null, boolean, integer, real, text, list, map };

// The word that messages use for a kind; both kinds of number are "number".
std::string_view name_of(ValueKind kind);

class Value {
 public:
  Value() = default;
  // Values are written as literals all over the code, so these convert silently.
  // NOLINTBEGIN(google-explicit-constructor)
  Value(std::nullptr_t) {}
  Value(bool value) : data_(value) {}
  Value(int value) : data_(std::int64_t{value}) {}
  Value(std::int64_t value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(std::string_view value) : data_(std::string(value)) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(List value) : data_(std::move(value)) {}
  Value(Map value) : data_(std::move(value)) {}
  // NOLINTEND(google-explicit-constructor)

  // A list of texts.
  static Value list_of(const std::vector<std::string>& texts);

  ValueKind kind() const { return static_cast<ValueKind>(data_.index()); }
  bool is_null() const { return kind() == ValueKind::null; }
  bool is_boolean() const { return kind() == ValueKind::boolean; }
  bool is_integer() const { return kind() == ValueKind::integer; }
  bool is_real() const { return kind() == ValueKind::real; }
  bool is_number() const { return is_integer() || is_real(); }
  bool is_text() const { return kind() == ValueKind::text; }
  bool is_list() const { return kind() == ValueKind::list; }
  bool is_map() const { return kind() == ValueKind::map; }
  bool is_scalar() const { return !is_list() && !is_map(); }

  // Each is sure of its kind: asking for another is a mistake of ours (std::bad_variant_access).
  bool boolean() const { return std::get<bool>(data_); }
  std::int64_t integer() const { return std::get<std::int64_t>(data_); }
  double real() const { return std::get<double>(data_); }
  const std::string& text() const { return std::get<std::string>(data_); }
  std::string& text() { return std::get<std::string>(data_); }
  const List& list() const { return std::get<List>(data_); }
  List& list() { return std::get<List>(data_); }
  const Map& map() const { return std::get<Map>(data_); }
  Map& map() { return std::get<Map>(data_); }

  // An integer or a real as a double.
  double number() const { return is_integer() ? static_cast<double>(integer()) : real(); }

  // The member of a map with this key; null pointer if there is none or this is not a map.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  // Sets a member, in its place if the key is there, else last. A null becomes a map.
  Value& set(std::string_view key, Value value);

  // Same kind and same content; 1 and 1.0 differ here (query/ compares numbers).
  friend bool operator==(const Value& a, const Value& b);

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Map> data_;
};

// The member of a map with this key, or a null pointer.
const Value* find_member(const Map& map, std::string_view key);

// Empty as the filters mean it: null, "", [], a list of nothing but nulls. 0 and false are not.
bool is_empty(const Value& value);

// The value as compact JSON-like text, for messages: 'text' in double quotes, lists in brackets.
std::string to_display(const Value& value);

}  // namespace notesdb
