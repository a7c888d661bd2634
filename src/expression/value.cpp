#include "expression/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "expression/failure.h"

namespace notesdb::expression {

namespace {

std::size_t checked_depth(std::size_t inner) {
  if (inner < max_value_depth) return inner + 1;
  throw Failure("lists nest more than " + std::to_string(max_value_depth) + " deep",
                ErrorCode::limit_exceeded);
}

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, 14> names{"Null",
                                                   "Boolean",
                                                   "Number",
                                                   "String",
                                                   "Date",
                                                   "Duration",
                                                   "List",
                                                   "Object",
                                                   "Link",
                                                   "File",
                                                   "RegExp",
                                                   "HTML",
                                                   "Image",
                                                   "Icon"};
  return names[static_cast<std::size_t>(kind)];
}

Value Value::list_of(std::vector<Value> items) {
  std::size_t inner = 0;
  for (const Value& item : items)
    inner = std::max(inner, item.depth());
  Value value;
  const std::size_t depth = checked_depth(inner);
  value.data_ = std::make_shared<const Items>(Items{std::move(items), depth});
  return value;
}

Value Value::object_of(std::vector<std::pair<std::string, Value>> members) {
  std::size_t inner = 0;
  for (const auto& member : members)
    inner = std::max(inner, member.second.depth());
  Value value;
  const std::size_t depth = checked_depth(inner);
  value.data_ = std::make_shared<const Members>(Members{std::move(members), depth});
  return value;
}

Kind Value::kind() const {
  constexpr std::size_t drawn = 11;
  return data_.index() == drawn ? this->drawn().kind : static_cast<Kind>(data_.index());
}

std::size_t Value::depth() const {
  if (const auto* items = std::get_if<ItemsPointer>(&data_)) return (*items)->depth;
  if (const auto* members = std::get_if<MembersPointer>(&data_)) return (*members)->depth;
  return 0;
}

Value Value::member(std::string_view name) const {
  for (const auto& [key, value] : object())
    if (key == name) return value;
  return {};
}

bool is_truthy(const Value& value) {
  switch (value.kind()) {
    case Kind::null: return false;
    case Kind::boolean: return value.boolean();
    case Kind::number: return value.number() != 0 && !std::isnan(value.number());
    case Kind::string: return !value.string().empty();
    default: return true;
  }
}

bool is_empty(const Value& value) {
  switch (value.kind()) {
    case Kind::null: return true;
    case Kind::number: return std::isnan(value.number());
    case Kind::string: return value.string().empty();
    case Kind::list: return value.list().empty();
    case Kind::object: return value.object().empty();
    default: return false;
  }
}

// The digits and the exponent that read back as the same number are the library's; JavaScript puts
// the point where it would stand, from 1e-6 up to 1e21.
std::string number_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  if (number == 0) return "0";
  std::array<char, 64> buffer{};
  const auto written = std::to_chars(buffer.data(),
                                     buffer.data() + buffer.size(),
                                     std::fabs(number),
                                     std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  std::string digits(1, text[0]);
  if (e > 2) digits += text.substr(2, e - 2);
  int exponent = 0;
  const bool is_small = text[e + 1] == '-';
  std::from_chars(text.data() + e + 2, text.data() + text.size(), exponent);
  if (is_small) exponent = -exponent;
  const std::string sign = number < 0 ? "-" : "";
  const int count = static_cast<int>(digits.size());
  if (exponent < -7 || exponent >= 21) {
    if (count > 1) digits.insert(1, ".");
    return sign + digits + "e" + (exponent < 0 ? "-" : "+") + std::to_string(std::abs(exponent));
  }
  if (exponent < 0)
    return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  if (count <= exponent + 1)
    return sign + digits + std::string(static_cast<std::size_t>(exponent + 1 - count), '0');
  digits.insert(static_cast<std::size_t>(exponent) + 1, ".");
  return sign + digits;
}

PathParts parts_of(std::string_view path) {
  PathParts parts;
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) parts.folder = path.substr(0, slash);
  parts.name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const std::size_t dot = parts.name.rfind('.');
  const bool has_ending = dot != std::string_view::npos && dot > 0;
  parts.stem = has_ending ? parts.name.substr(0, dot) : parts.name;
  if (has_ending) parts.ending = parts.name.substr(dot + 1);
  return parts;
}

std::string_view without_anchor(std::string_view target) {
  return target.substr(0, target.find('#'));
}

}  // namespace notesdb::expression
