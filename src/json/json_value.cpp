#include "json/json_value.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/number_text.h"
#include "core/text.h"
#include "json/json_pen.h"

namespace notesdb {

namespace {

// Whether every reader of JSON takes a whole number for this very one; what others would round is
// text.
constexpr bool exact_in_json(std::int64_t number) {
  constexpr std::int64_t max_exact = std::int64_t{1} << 53;
  return number <= max_exact && number >= -max_exact;
}

constexpr int number_overflow = 406;  // what nlohmann calls a number that is JSON, but not finite
constexpr std::size_t few_members = 32;  // among which one is looked for one by one

Error json_error(std::string message, ErrorCode code = ErrorCode::invalid_argument) {
  return {code, std::move(message), Map{}};
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
  explicit ValueBuilder(std::size_t depth) : depth_(depth) {}

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
    return fail((overflows ? "a number is too large to be held, at byte " : "not JSON at byte ") +
                std::to_string(position));
  }

  Result<Value> take() && {
    if (failure_) return *std::move(failure_);
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
    if (open_.size() == depth_)
      return fail("nested deeper than " + std::to_string(depth_) + " levels",
                  ErrorCode::limit_exceeded);
    open_.push_back({std::move(container), {}});
    return true;
  }

  bool close() {
    Value done = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(done));
  }

  bool fail_twice(std::string_view key) {
    constexpr std::size_t shown = 64;
    return fail("duplicate key '" + std::string(key.substr(0, shown)) + "'");
  }
  bool fail(std::string reason, ErrorCode code = ErrorCode::invalid_argument) {
    failure_ = json_error(std::move(reason), code);
    return false;
  }

  std::size_t depth_;
  std::vector<Level> open_;
  Value root_;
  std::optional<Error> failure_;
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

Result<Value> parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes)
    return json_error("longer than " + std::to_string(limits.bytes) + " bytes",
                      ErrorCode::limit_exceeded);
  ValueBuilder builder(limits.depth);
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

nlohmann::ordered_json to_json_tree(const Value& value, LargeNumbers large) {
  using Tree = nlohmann::ordered_json;
  switch (value.kind()) {
    case ValueKind::null: return nullptr;
    case ValueKind::boolean: return value.boolean();
    case ValueKind::integer:
      if (large == LargeNumbers::text && !exact_in_json(value.integer()))
        return std::to_string(value.integer());
      return value.integer();
    case ValueKind::real:
      if (!std::isfinite(value.real())) return real_text(value.real());
      return value.real();
    case ValueKind::text: return to_utf8(value.text());
    case ValueKind::list: {
      Tree tree = Tree::array();
      for (const Value& item : value.list())
        tree.push_back(to_json_tree(item, large));
      return tree;
    }
    case ValueKind::map: {
      Tree tree = Tree::object();
      // Past the ordered map's own insertion, which looks through all keys for each.
      std::vector<std::pair<const std::string, Tree>>& members = tree.get_ref<Tree::object_t&>();
      members.reserve(value.map().size());
      for (const Member& member : value.map())
        members.emplace_back(to_utf8(member.key), to_json_tree(member.value, large));
      return tree;
    }
  }
  return nullptr;
}

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

constexpr std::size_t longest_escape = 6;

// Writes a byte that needs an escape; how long it is then.
std::size_t write_escaped(char c, char* place) {
  const auto write_short = [place](char letter) {
    place[0] = '\\';
    place[1] = letter;
    return std::size_t{2};
  };
  switch (c) {
    case '"':
    case '\\': return write_short(c);
    case '\n': return write_short('n');
    case '\r': return write_short('r');
    case '\t': return write_short('t');
    default: break;
  }
  const auto byte = static_cast<unsigned char>(c);
  std::memcpy(place, "\\u00", 4);
  place[4] = hex_digits[byte >> 4U];
  place[5] = hex_digits[byte & 15U];
  return longest_escape;
}

constexpr bool needs_escape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == '\x7f';
}

// Of eight bytes at once: not 0 if one of them does not stand in JSON as it is, whatever stands
// beside it. A byte that is less than what is taken from it borrows, which sets its highest bit,
// and may set that of bytes above it.
constexpr std::uint64_t special_among(std::uint64_t bytes) {
  constexpr std::uint64_t each = 0x0101010101010101U;
  const std::uint64_t quotes = (bytes ^ (each * '"')) - each;
  const std::uint64_t backslashes = (bytes ^ (each * '\\')) - each;
  const std::uint64_t deletes = (bytes ^ (each * 0x7F)) - each;
  const std::uint64_t controls = bytes - each * 0x20;
  return (bytes | quotes | backslashes | deletes | controls) & (each * 0x80);
}

template <typename Word>
std::uint64_t word_at(const char* place) {
  Word word = 0;
  std::memcpy(&word, place, sizeof word);
  return word;
}

// All bytes of a text of 1 to 8, some of them twice, and nothing else but letters.
std::uint64_t bytes_of_short(std::string_view text) {
  constexpr std::size_t half = sizeof(std::uint32_t);
  const char* last = text.data() + text.size() - 1;
  if (text.size() >= half) {
    return word_at<std::uint32_t>(text.data()) | word_at<std::uint32_t>(last + 1 - half) << 32U;
  }
  const auto byte = [](char c) { return std::uint64_t{static_cast<unsigned char>(c)}; };
  return 0x6161616161000000U | byte(text.front()) | byte(text[text.size() / 2]) << 8U |
         byte(*last) << 16U;
}

// Most texts of an answer are keys and short values, so what a text costs counts for more than what
// its bytes cost: no byte is looked at alone.
bool is_all_plain(std::string_view text) {
  constexpr std::size_t step = sizeof(std::uint64_t);
  if (text.empty()) return true;
  if (text.size() <= step) return special_among(bytes_of_short(text)) == 0;
  std::uint64_t found = special_among(word_at<std::uint64_t>(text.data() + text.size() - step));
  for (std::size_t at = 0; at + step < text.size(); at += step)
    found |= special_among(word_at<std::uint64_t>(text.data() + at));
  return found == 0;
}

// How many of the eight bytes at a place come before the first that needs an escape.
std::size_t count_plain(const char* place) {
  std::uint64_t bytes = word_at<std::uint64_t>(place);
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  // Letters beyond ASCII had their highest bit before.
  const std::uint64_t special = special_among(bytes) & ~bytes;
  return static_cast<std::size_t>(std::countr_zero(special)) / 8;
}

// Writes with or without line breaks: `step` spaces for each level, none for compact.
class JsonWriter {
 public:
  JsonWriter(JsonPen& pen, std::size_t step) : pen_(pen), step_(step) {}

  void write(const Value& value) {
    switch (value.kind()) {
      case ValueKind::null: return pen_.put("null");
      case ValueKind::boolean: return pen_.put(value.boolean() ? "true" : "false");
      case ValueKind::integer: return write_integer(value.integer());
      case ValueKind::real: return write_real(value.real());
      case ValueKind::text: return pen_.put_text(value.text());
      case ValueKind::list: return write_list(value.list());
      case ValueKind::map: return write_map(value.map());
    }
  }

 private:
  void write_integer(std::int64_t number) {
    std::array<char, 24> buffer{};
    auto* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
    const std::string_view digits(buffer.data(), end);
    if (exact_in_json(number)) return pen_.put(digits);
    pen_.put_quoted(digits);
  }

  void write_real(double number) {
    if (!std::isfinite(number)) return pen_.put_text(real_text(number));
    pen_.put(real_text(number));
  }

  void write_list(const List& list) {
    if (list.empty()) return pen_.put("[]");
    pen_.put('[');
    ++level_;
    for (std::size_t i = 0; i < list.size(); ++i) {
      separate(i);
      write(list[i]);
    }
    --level_;
    break_line();
    pen_.put(']');
  }

  void write_map(const Map& map) {
    if (map.empty()) return pen_.put("{}");
    pen_.put('{');
    ++level_;
    for (std::size_t i = 0; i < map.size(); ++i) {
      separate(i);
      pen_.put_text(map[i].key);
      pen_.put(step_ > 0 ? std::string_view(": ") : std::string_view(":"));
      write(map[i].value);
    }
    --level_;
    break_line();
    pen_.put('}');
  }

  void separate(std::size_t index) {
    if (index > 0) pen_.put(',');
    break_line();
  }

  void break_line() {
    if (step_ == 0) return;
    pen_.put('\n');
    for (std::size_t i = 0; i < level_ * step_; ++i)
      pen_.put(' ');
  }

  JsonPen& pen_;
  std::size_t step_;
  std::size_t level_ = 0;
};

}  // namespace

void JsonPen::grow(std::size_t bytes) {
  // As much again as there is, so that it is rarely asked for.
  constexpr std::size_t least = 512;
  out_.resize(used_ + std::max({bytes, used_ - begun_, least}));
}

void JsonPen::put_text(std::string_view text) {
  if (is_all_plain(text)) return put_quoted(text);
  if (!is_utf8(text)) return put_text(to_utf8(text));
  put('"');
  room(text.size());
  constexpr std::size_t step = sizeof(std::uint64_t);
  while (text.size() >= step) {
    // Eight bytes are copied before it is known how many of them are wanted.
    char* const place = room(step + longest_escape);
    std::memcpy(place, text.data(), step);
    const std::size_t plain = count_plain(text.data());
    used_ += plain;
    if (plain < step) used_ += write_escaped(text[plain], place + plain);
    text.remove_prefix(std::min(plain + 1, step));
  }
  for (const char c : text) {
    if (needs_escape(c)) {
      used_ += write_escaped(c, room(longest_escape));
    } else {
      put(c);
    }
  }
  put('"');
}

void JsonPen::put_value(const Value& value) {
  JsonWriter(*this, 0).write(value);
}

void append_json(std::string& out, const Value& value) {
  JsonPen(out).put_value(value);
}

std::string to_json(const Value& value) {
  std::string out;
  append_json(out, value);
  return out;
}

std::string to_indented_json(const Value& value) {
  std::string out;
  JsonPen pen(out);
  JsonWriter(pen, 2).write(value);
  pen.finish();
  return out;
}

}  // namespace notesdb
