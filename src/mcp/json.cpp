#include "mcp/json.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace notesdb::mcp {

namespace {

// Up to here keys are looked through with each new one; those of a larger object at its end.
constexpr std::size_t few_keys = 16;
// What nlohmann calls a number that is JSON, but not finite.
constexpr int number_overflow = 406;

// Builds the value event by event, as nlohmann's reader (which does not recurse) reports them.
// Returning false from an event ends the reading; `error` then says why.
class Builder {
 public:
  using number_integer_t = Json::number_integer_t;
  using number_unsigned_t = Json::number_unsigned_t;
  using number_float_t = Json::number_float_t;
  using string_t = Json::string_t;
  using binary_t = Json::binary_t;

  explicit Builder(std::size_t depth) : depth_(depth) {}

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(number_integer_t value) { return put(value); }
  bool number_unsigned(number_unsigned_t value) {
    // 2^63 and more has no place in a 64 bit integer of ours: its digits stay as text.
    return value > static_cast<number_unsigned_t>(INT64_MAX) ? put(std::to_string(value))
                                                             : put(value);
  }
  bool number_float(number_float_t value, const string_t& text) {
    const bool whole = text.find_first_of(".eE") == string_t::npos;
    return whole ? put(text) : put(value);
  }
  bool string(string_t& value) { return put(std::move(value)); }
  bool binary(binary_t& /*value*/) { return fail(ErrorCode::invalid_argument, "binary"); }

  bool start_object(std::size_t /*size*/) { return open(Json::object()); }
  bool end_object() {
    if (const std::string* twice = repeated_key(*open_.back())) return fail_twice(*twice);
    return close();
  }
  bool start_array(std::size_t /*size*/) { return open(Json::array()); }
  bool end_array() { return close(); }
  bool key(string_t& key) {
    const auto& object = open_.back()->get_ref<const Json::object_t&>();
    const auto is_same = [&](const auto& member) { return member.first == key; };
    if (object.size() < few_keys && std::ranges::any_of(object, is_same)) return fail_twice(key);
    key_ = std::move(key);
    return true;
  }

  bool parse_error(std::size_t position,
                   const std::string& /*token*/,
                   const nlohmann::detail::exception& why) {
    const bool overflows = why.id == number_overflow;
    return fail(ErrorCode::invalid_argument,
                (overflows ? "a number is too large to be held, at byte " : "not JSON at byte ") +
                    std::to_string(position));
  }

  Json root;
  Error error;

 private:
  // Of an object with many keys; a null pointer if there is none.
  static const std::string* repeated_key(const Json& node) {
    const auto& object = node.get_ref<const Json::object_t&>();
    if (object.size() <= few_keys) return nullptr;
    std::vector<const std::string*> keys;
    keys.reserve(object.size());
    for (const auto& member : object)
      keys.push_back(&member.first);
    const auto text = [](const std::string* key) -> const std::string& { return *key; };
    std::ranges::sort(keys, {}, text);
    const auto found = std::ranges::adjacent_find(keys, {}, text);
    return found == keys.end() ? nullptr : *found;
  }
  bool fail_twice(const std::string& key) {
    return fail(ErrorCode::invalid_argument, "duplicate key '" + key.substr(0, 64) + "'");
  }

  // The place of a new value: the root, the end of the open array, or the open object's key.
  Json* place(Json value) {
    if (open_.empty()) {
      root = std::move(value);
      return &root;
    }
    Json* node = open_.back();
    if (node->is_array()) {
      node->push_back(std::move(value));
      return &node->back();
    }
    // Past the ordered map's own insertion, which would look through all keys again.
    std::vector<std::pair<const std::string, Json>>& members = node->get_ref<Json::object_t&>();
    members.emplace_back(std::move(key_), std::move(value));
    return &members.back().second;
  }

  bool put(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json container) {
    if (open_.size() == depth_) {
      return fail(ErrorCode::limit_exceeded,
                  "nested deeper than " + std::to_string(depth_) + " levels");
    }
    open_.push_back(place(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  bool fail(ErrorCode code, std::string message) {
    error = {code, std::move(message)};
    return false;
  }

  std::size_t depth_;
  std::vector<Json*> open_;
  std::string key_;
};

}  // namespace

Result<Json> read_json(std::string_view text, JsonLimits limits) {
  if (text.size() > limits.bytes) {
    return Error{ErrorCode::limit_exceeded,
                 "longer than " + std::to_string(limits.bytes) + " bytes"};
  }
  // The reader would take it for the end of the text, and say nothing of what lies after.
  if (text.find('\0') != std::string_view::npos) {
    return Error{ErrorCode::invalid_argument, "a NUL byte is no JSON"};
  }
  Builder builder(limits.depth);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) return std::move(builder.error);
  return std::move(builder.root);
}

}  // namespace notesdb::mcp
