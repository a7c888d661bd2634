#include "database/row_template.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/text.h"

namespace notesdb {
namespace {

std::string as_text(const Value& value) {
  return value.is_text() ? value.text() : to_display(value);
}

// Walks a text: what stands between variables, and the variables.
template <typename OnText, typename OnName>
void for_each_part(std::string_view text, const OnText& on_text, const OnName& on_name) {
  for (std::size_t at = 0;;) {
    const std::size_t open = text.find("{{", at);
    const std::size_t close = open == text.npos ? text.npos : text.find("}}", open);
    if (close == text.npos) return on_text(text.substr(at));
    on_text(text.substr(at, open - at));
    on_name(trimmed(text.substr(open + 2, close - open - 2), " "));
    at = close + 2;
  }
}

void add_once(std::string_view name, std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

void add_names(const Value& value, std::vector<std::string>& names) {
  if (value.is_text()) {
    for_each_part(
        value.text(), [](std::string_view) {}, [&](auto name) { add_once(name, names); });
  } else if (value.is_list()) {
    for (const Value& item : value.list())
      add_names(item, names);
  }
}

// Fills the texts of a template, and remembers what nobody gave.
class Filler {
 public:
  explicit Filler(Map variables) : variables_(std::move(variables)) {}

  void know(std::string_view name, Value value) {
    if (find_member(variables_, name) == nullptr)
      variables_.push_back({std::string(name), std::move(value)});
  }

  std::string fill(std::string_view text) {
    std::string out;
    for_each_part(
        text,
        [&](std::string_view part) { out += part; },
        [&](std::string_view name) {
          const Value* value = find_member(variables_, name);
          if (value != nullptr) {
            out += as_text(*value);
          } else {
            add_once(name, unfilled_);
          }
        });
    return out;
  }

  // Nothing where a text held nothing but variables that nobody gave.
  std::optional<Value> fill_value(const Value& value) {
    if (value.is_text()) {
      const std::size_t before = unfilled_count(value);
      std::string text = fill(value.text());
      const bool is_left_out = text.empty() && before > 0;
      return is_left_out ? std::nullopt : std::optional<Value>(std::move(text));
    }
    if (!value.is_list()) return value;
    List items;
    for (const Value& item : value.list())
      if (auto filled = fill_value(item)) items.push_back(std::move(*filled));
    return items;
  }

  std::vector<std::string> take_unfilled() { return std::move(unfilled_); }

 private:
  std::size_t unfilled_count(const Value& value) const {
    std::vector<std::string> names;
    add_names(value, names);
    return static_cast<std::size_t>(
        std::count_if(names.begin(), names.end(), [&](const auto& name) {
          return find_member(variables_, name) == nullptr;
        }));
  }

  Map variables_;
  std::vector<std::string> unfilled_;
};

}  // namespace

std::vector<std::string> variables_of(const Template& chosen) {
  std::vector<std::string> names;
  add_names(chosen.title, names);
  for (const Member& field : chosen.fields)
    add_names(field.value, names);
  add_names(chosen.body, names);
  for (const std::string_view name : {"date", "time", "title"})
    add_once(name, names);
  return names;
}

const Column* title_column(const Schema& schema) {
  const auto find = [&](auto suits) -> const Column* {
    const auto found = std::ranges::find_if(schema.columns, [&](const Column& column) {
      return column.type == ColumnType::text && suits(column);
    });
    return found == schema.columns.end() ? nullptr : &*found;
  };
  for (const std::string_view word : {"title", "name"}) {
    if (const Column* column = find([&](const Column& one) { return one.id == word; }))
      return column;
  }
  for (const std::string_view word : {"title", "name"}) {
    const auto ends_so = [&](const Column& one) { return fold_case(one.id).ends_with(word); };
    if (const Column* column = find(ends_so)) return column;
  }
  if (const Column* column = find([](const Column& one) { return one.required; })) return column;
  return find([](const Column&) { return true; });
}

Prefilled fill_template(const Schema& schema,
                        const Template& chosen,
                        const Map& given,
                        const Map& variables,
                        Timestamp now) {
  Filler filler(variables);
  const std::string moment = format_moment(now);
  filler.know("date", moment.substr(0, 10));
  if (moment.size() >= 16) filler.know("time", moment.substr(11, 5));
  const Column* title = title_column(schema);
  const Value* given_title = title == nullptr ? nullptr : find_member(given, title->id);
  const bool has_title = !chosen.title.empty() && given_title == nullptr;
  const Value title_text = has_title                ? Value(filler.fill(chosen.title))
                           : given_title != nullptr ? *given_title
                                                    : Value("");
  if (given_title != nullptr || has_title) filler.know("title", title_text);

  Value fields = Map{};
  if (title != nullptr && has_title && title_text != Value("")) fields.set(title->id, title_text);
  for (const Member& field : chosen.fields) {
    if (find_member(given, field.key) != nullptr) continue;
    if (auto value = filler.fill_value(field.value)) fields.set(field.key, std::move(*value));
  }
  std::string body = filler.fill(chosen.body);
  return {std::move(fields.map()), std::move(body), filler.take_unfilled()};
}

}  // namespace notesdb
