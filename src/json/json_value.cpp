#include "json/json_value.h"

#include <cmath>
#include <limits>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/real.h"
#include "core/text.h"
#include "json/json_number.h"

namespace notesdb {

namespace {

constexpr std::size_t max_levels = 64;
constexpr int number_overflow = 406;  // what nlohmann calls a number that is JSON, but not finite
constexpr std::size_t few_members = 32;  // among which one is looked for one by one

Error json_error(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), Map{}};
}

bool is_whole(std::string_view number) {
  return number.find_first_of(".eE") == std::string_view::npos;
}

// A key that is there twice; empty if there is none.
std::string_view repeated_key(const Map& map) {
  std::vector<std::string_view> keys;
  keys.reserve(map.size());
  for (const Member& member : map)
    keys.push_back(member.key);
  std::ranges::sort(keys);
  const auto found = std::ranges::adjacent_find(keys);
  return found == keys.end() ? std::string_view() : *found;
}

// Builds a Value from the parser's events, so that depth, repeated keys and the digits of large
// numbers are judged before anything is built from them.
class ValueBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return add(Value()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
      return add(std::to_string(value));
    return add(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& spelling) override {
    if (is_whole(spelling)) return add(spelling);
    return add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }

  bool start_object(std::size_t /*size*/) override { return open(Map{}); }
  bool end_object() override {
    const Map& map = open_.back().value.map();
    if (map.size() <= few_members) return close();
    const std::string_view repeated = repeated_key(map);
    return repeated.data() == nullptr ? close() : fail_twice(repeated);
  }
  bool start_array(std::size_t /*size*/) override { return open(List{}); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    const Map& map = open_.back().value.map();
    if (map.size() < few_members && find_member(map, name) != nullptr) return fail_twice(name);
    open_.back().key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position,
                   const std::string& /*token*/,
                   const nlohmann::detail::exception& reason) override {
    const bool overflows = reason.id == number_overflow;
    return fail(
        (overflows ? "a number is too large to be held, at byte " : "not JSON: mistake at byte ") +
        std::to_string(position));
  }

  Result<Value> take() && {
    if (!failure_.empty()) return json_error(failure_);
    return std::move(root_);
  }

 private:
  struct Level {
    Value value;
    std::string key;  // of the member that comes next
  };

  bool add(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Level& level = open_.back(); level.value.is_list()) {
      level.value.list().push_back(std::move(value));
    } else {
      level.value.map().push_back({std::move(level.key), std::move(value)});
    }
    return true;
  }

  bool open(Value container) {
    if (open_.size() == max_levels)
      return fail("nested deeper than " + std::to_string(max_levels) + " levels");
    open_.push_back({std::move(container), {}});
    return true;
  }

  bool close() {
    Value done = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(done));
  }

  bool fail_twice(std::string_view key) {
    return fail("the key '" + std::string(key) + "' is there twice");
  }
  bool fail(std::string reason) {
    failure_ = std::move(reason);
    return false;
  }

  std::vector<Level> open_;
  Value root_;
  std::string failure_;
};

Value list_from_tree(const nlohmann::ordered_json& tree) {
  List list;
  list.reserve(tree.size());
  for (const auto& item : tree)
    list.push_back(from_json_tree(item));
  return list;
}

Value map_from_tree(const nlohmann::ordered_json& tree) {
  Map map;
  map.reserve(tree.size());
  for (auto member = tree.begin(); member != tree.end(); ++member)
    map.push_back({member.key(), from_json_tree(member.value())});
  return map;
}

}  // namespace

Result<Value> parse_json(std::string_view text) {
  ValueBuilder builder;
  if (text.empty()) return json_error("not JSON: the text is empty");
  // The reader would take it for the end of the text, and say nothing of what lies after.
  if (text.find('\0') != std::string_view::npos) return json_error("not JSON: it holds a NUL byte");
  bool parsed = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  Result<Value> value = std::move(builder).take();
  if (!parsed && value) return json_error("not JSON");
  return value;
}

Value from_json_tree(const nlohmann::ordered_json& tree) {
  using Kind = nlohmann::ordered_json::value_t;
  switch (tree.type()) {
    case Kind::boolean: return tree.get<bool>();
    case Kind::number_integer: return tree.get<std::int64_t>();
    case Kind::number_unsigned: {
      auto number = tree.get<std::uint64_t>();
      if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return std::to_string(number);
      return static_cast<std::int64_t>(number);
    }
    case Kind::number_float: return tree.get<double>();
    case Kind::string: return tree.get_ref<const std::string&>();
    case Kind::array: return list_from_tree(tree);
    case Kind::object: return map_from_tree(tree);
    default: return {};
  }
}

nlohmann::ordered_json to_json_tree(const Value& value) {
  using Tree = nlohmann::ordered_json;
  switch (value.kind()) {
    case ValueKind::null: return nullptr;
    case ValueKind::boolean: return value.boolean();
    case ValueKind::integer:
      if (!exact_in_json(value.integer())) return std::to_string(value.integer());
      return value.integer();
    case ValueKind::real:
      if (!std::isfinite(value.real())) return real_text(value.real());
      return value.real();
    case ValueKind::text: return to_utf8(value.text());
    case ValueKind::list: {
      Tree tree = Tree::array();
      for (const Value& item : value.list())
        tree.push_back(to_json_tree(item));
      return tree;
    }
    case ValueKind::map: {
      Tree tree = Tree::object();
      for (const Member& member : value.map())
        tree[to_utf8(member.key)] = to_json_tree(member.value);
      return tree;
    }
  }
  return nullptr;
}

}  // namespace notesdb
