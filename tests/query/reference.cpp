#include "query/reference.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>

#include "core/date.h"

namespace notesdb {

namespace {

const std::vector<std::string> words{"", "a", "A", "ab", "b", "done", "open", "\u00c4", "\u00e4x"};
const std::vector<std::string> dates{
    "2026-01-31", "2026-01-31T00:00", "2026-01-30 9:05", "2026-02-01T01:00+02:00", "soon", ""};

template <typename T>
const T& pick(Random& random, const std::vector<T>& choices) {
  return choices[random() % choices.size()];
}

Value random_number(Random& random) {
  if (random() % 3 == 0) return static_cast<double>(random() % 8) / 2;
  return static_cast<std::int64_t>(random() % 4);
}

Value random_list(Random& random) {
  List list;
  for (auto left = random() % 3; left > 0; --left)
    list.push_back(random() % 5 == 0 ? Value() : Value(pick(random, words)));
  return list;
}

Value random_value(Random& random, const std::string& column) {
  if (random() % 8 == 0) return {};
  if (column == "text") return pick(random, words);
  if (column == "number") return random() % 8 == 0 ? Value("x") : random_number(random);
  if (column == "date") return pick(random, dates);
  if (column == "checkbox") return random() % 8 == 0 ? Value("x") : Value(random() % 2 == 0);
  return random_list(random);
}

}  // namespace

MemoryTable random_table(Random& random) {
  Schema schema;
  schema.columns = {make_column("text", ColumnType::text),
                    make_column("number", ColumnType::number),
                    make_column("date", ColumnType::date),
                    make_column("checkbox", ColumnType::checkbox),
                    make_column("list", ColumnType::list)};
  std::vector<MemoryRow> rows(random() % 60);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].id = "row-" + std::to_string(i);
    for (const Column& column : schema.columns) {
      if (random() % 6 != 0) rows[i].fields.push_back({column.id, random_value(random, column.id)});
    }
  }
  return {schema, rows};
}

namespace {

Value random_triple(Random& random) {
  const std::vector<std::string> columns{"text", "number", "date", "checkbox", "list"};
  std::string column = pick(random, columns);
  std::vector<std::string> operators{"eq", "neq", "in", "not_in", "is_empty", "is_not_empty"};
  auto add = [&](std::initializer_list<const char*> more) {
    operators.insert(operators.end(), more.begin(), more.end());
  };
  if (column == "text" || column == "date" || column == "number") add({"gt", "gte", "lt", "lte"});
  if (column == "text" || column == "date") add({"starts_with", "ends_with"});
  if (column == "text" || column == "date" || column == "list") add({"contains", "not_contains"});
  std::string operation = pick(random, operators);
  Value triple = Map{{"field", column}, {"operator", operation}};
  if (operation.ends_with("empty")) return triple;

  bool part = operation.ends_with("contains") || operation.ends_with("with");
  auto one = [&]() -> Value {
    if (part && column == "date") return pick(random, std::vector<std::string>{"01", "T", "2026"});
    if (column == "date") return dates[random() % 4];
    if (column == "number") return random_number(random);
    if (column == "checkbox") return random() % 2 == 0;
    return pick(random, words);
  };
  if (operation.ends_with("in")) {
    triple.set("value", List{one(), one()});
  } else if (column == "list" && !part) {
    triple.set("value", random_list(random));
  } else {
    triple.set("value", one());
  }
  return triple;
}

}  // namespace

Value random_filters(Random& random) {
  List filters;
  for (auto left = 1 + random() % 2; left > 0; --left) {
    if (random() % 3 == 0) {
      filters.push_back(Map{{"any", List{random_triple(random), random_triple(random)}}});
    } else {
      filters.push_back(random_triple(random));
    }
  }
  return filters;
}

Value random_sorts(Random& random) {
  const std::vector<std::string> columns{"text", "number", "date", "checkbox", "list", "_id"};
  List sorts;
  for (auto left = 1 + random() % 3; left > 0; --left) {
    sorts.push_back(
        Map{{"field", pick(random, columns)}, {"direction", random() % 2 == 0 ? "asc" : "desc"}});
  }
  return sorts;
}

namespace {

// Only the letters that the random words use.
std::string lower(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] >= 'A' && text[i] <= 'Z') text[i] = static_cast<char>(text[i] + 32);
    if (text.compare(i, 2, "\u00c4") == 0) text.replace(i, 2, "\u00e4");
  }
  return text;
}

Value field_of(const MemoryTable& table, std::uint32_t row, const std::string& column) {
  const Value* value = find_member(table.row(row).fields, column);
  return value == nullptr ? Value() : *value;
}

std::int64_t moment(const Value& value) {
  return parse_moment(value.text())->microseconds;
}

bool is_date(const Value& value) {
  return value.is_text() && parse_moment(value.text()).has_value();
}

bool equal(const std::string& column, const Value& value, const Value& wanted) {
  if (column == "number") return value.is_number() && value.number() == wanted.number();
  if (column == "date") return is_date(value) && moment(value) == moment(wanted);
  return value == wanted;
}

int sign(bool less, bool more) {
  return static_cast<int>(more) - static_cast<int>(less);
}

std::optional<int> ordering(const std::string& column, const Value& value, const Value& wanted) {
  if (column == "number") {
    if (!value.is_number()) return std::nullopt;
    return sign(value.number() < wanted.number(), value.number() > wanted.number());
  }
  if (column == "date") {
    if (!is_date(value)) return std::nullopt;
    return sign(moment(value) < moment(wanted), moment(value) > moment(wanted));
  }
  if (!value.is_text()) return std::nullopt;
  return sign(value.text() < wanted.text(), value.text() > wanted.text());
}

bool any_item(const Value& value, const std::function<bool(const Value&)>& wanted) {
  if (!value.is_list()) return wanted(value);
  return std::ranges::any_of(value.list(), wanted);
}

bool nothing_in(const Value& value) {
  if (value.is_null() || value == Value("")) return true;
  return value.is_list() && std::ranges::all_of(value.list(), &Value::is_null);
}

bool has_part(const Value& value, const Value& part, const std::string& how) {
  std::string wanted = lower(part.text());
  if (value.is_list()) {
    return any_item(
        value, [&](const Value& item) { return item.is_text() && lower(item.text()) == wanted; });
  }
  if (!value.is_text()) return false;
  std::string text = lower(value.text());
  if (how == "starts_with") return text.substr(0, wanted.size()) == wanted;
  if (how == "ends_with") {
    return text.size() >= wanted.size() && text.substr(text.size() - wanted.size()) == wanted;
  }
  return text.find(wanted) != std::string::npos;
}

bool triple_holds(const MemoryTable& table, std::uint32_t row, const Value& triple) {
  const std::string& column = triple.find("field")->text();
  const std::string& operation = triple.find("operator")->text();
  Value value = field_of(table, row, column);
  if (operation == "is_empty") return nothing_in(value);
  if (operation == "is_not_empty") return !nothing_in(value);
  const Value& wanted = *triple.find("value");
  if (operation == "eq") return equal(column, value, wanted);
  if (operation == "neq") return !equal(column, value, wanted);
  if (operation == "in" || operation == "not_in") {
    bool among = any_item(value, [&](const Value& item) {
      return std::ranges::any_of(wanted.list(),
                                 [&](const Value& choice) { return equal(column, item, choice); });
    });
    return among == (operation == "in");
  }
  if (operation == "not_contains") return !has_part(value, wanted, "contains");
  if (operation.ends_with("with") || operation == "contains") {
    return has_part(value, wanted, operation);
  }
  std::optional<int> order = ordering(column, value, wanted);
  if (!order) return false;
  if (operation == "gt") return *order > 0;
  if (operation == "gte") return *order >= 0;
  if (operation == "lt") return *order < 0;
  return *order <= 0;
}

// Missing, booleans, numbers, dates, texts, lists.
int class_of(const std::string& column, const Value& value) {
  if (value.is_null()) return 0;
  if (value.is_boolean()) return 1;
  if (value.is_number()) return 2;
  if (column == "date" && is_date(value)) return 3;
  return value.is_text() ? 4 : 5;
}

int compare_values(const std::string& column, const Value& a, const Value& b) {
  int class_a = class_of(column, a);
  int class_b = class_of(column, b);
  if (class_a != class_b) return class_a - class_b;
  switch (class_a) {
    case 1: return a.boolean() - b.boolean();
    case 2: return sign(a.number() < b.number(), a.number() > b.number());
    case 3: return sign(moment(a) < moment(b), moment(a) > moment(b));
    case 4: return sign(a.text() < b.text(), a.text() > b.text());
    case 5: break;
    default: return 0;
  }
  for (std::size_t i = 0; i < a.list().size() && i < b.list().size(); ++i) {
    int order = compare_values(column, a.list()[i], b.list()[i]);
    if (order != 0) return order;
  }
  return sign(a.list().size() < b.list().size(), a.list().size() > b.list().size());
}

}  // namespace

bool passes(const MemoryTable& table, std::uint32_t row, const Value& filters) {
  return std::ranges::all_of(filters.list(), [&](const Value& filter) {
    const Value* any = filter.find("any");
    if (any == nullptr) return triple_holds(table, row, filter);
    return std::ranges::any_of(
        any->list(), [&](const Value& triple) { return triple_holds(table, row, triple); });
  });
}

int compare_rows(const MemoryTable& table, std::uint32_t a, std::uint32_t b, const Value& sorts) {
  for (const Value& sort : sorts.list()) {
    const std::string& column = sort.find("field")->text();
    int order =
        column == "_id"
            ? sign(a<b, a> b)
            : compare_values(column, field_of(table, a, column), field_of(table, b, column));
    if (order != 0) return sort.find("direction")->text() == "asc" ? order : -order;
  }
  return sign(a<b, a> b);
}

}  // namespace notesdb
