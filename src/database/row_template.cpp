#include "database/row_template.h"

#include <algorithm>
#include <utility>

#include "core/text.h"

namespace notesdb {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  while (text.ends_with(' '))
    text.remove_suffix(1);
  return text;
}

std::string as_text(const Value& value) {
  return value.is_text() ? value.text() : to_display(value);
}

std::string expand(std::string_view text, const Map& variables) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t open = text.find("{{", at);
    const std::size_t close = open == text.npos ? text.npos : text.find("}}", open);
    if (close == text.npos) return out += text.substr(at);
    out += text.substr(at, open - at);
    const std::string_view name = trimmed(text.substr(open + 2, close - open - 2));
    const Value* value = find_member(variables, name);
    out += value != nullptr ? as_text(*value) : std::string(text.substr(open, close + 2 - open));
    at = close + 2;
  }
}

Value expand_value(const Value& value, const Map& variables) {
  if (value.is_text()) return expand(value.text(), variables);
  if (!value.is_list()) return value;
  List items;
  for (const Value& item : value.list())
    items.push_back(expand_value(item, variables));
  return items;
}

}  // namespace

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
                        Moment now) {
  Map known = variables;
  const std::string moment = format_moment(now);
  known.push_back({"date", moment.substr(0, 10)});
  if (moment.size() >= 16) known.push_back({"time", moment.substr(11, 5)});
  const Column* title = title_column(schema);
  const Value* given_title = title == nullptr ? nullptr : find_member(given, title->id);
  const Value title_text =
      given_title != nullptr ? *given_title : Value(expand(chosen.title, known));
  if (find_member(known, "title") == nullptr) known.push_back({"title", title_text});

  Value fields = Map{};
  if (title != nullptr && !chosen.title.empty()) fields.set(title->id, title_text);
  for (const Member& field : chosen.fields) {
    fields.set(field.key, expand_value(field.value, known));
  }
  return {std::move(fields.map()), expand(chosen.body, known)};
}

}  // namespace notesdb
