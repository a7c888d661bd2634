#include "query/field.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/date.h"
#include "core/link.h"
#include "core/text.h"

namespace notesdb {

Family family_of(const Column& column) {
  if (column.holds_list()) return Family::list;
  switch (column.type) {
    case ColumnType::number: return Family::number;
    case ColumnType::checkbox: return Family::checkbox;
    case ColumnType::date:
    case ColumnType::datetime: return Family::moment;
    case ColumnType::json:
    case ColumnType::rollup:
    case ColumnType::formula:
    case ColumnType::unknown: return Family::json;
    default: return Family::text;
  }
}

namespace {

struct Pseudo {
  std::string_view name;
  Field::Source source;
  ColumnType type;
  Family family;
};

constexpr std::array pseudo_fields{
    Pseudo{"_id", Field::Source::id, ColumnType::text, Family::text},
    Pseudo{"_body", Field::Source::body, ColumnType::text, Family::text},
    Pseudo{"_modified", Field::Source::modified, ColumnType::datetime, Family::moment},
    Pseudo{"_path", Field::Source::path, ColumnType::text, Family::text},
    Pseudo{"row_id", Field::Source::id, ColumnType::text, Family::text},
};

Field column_field(std::string_view name, const Schema& schema, std::size_t index) {
  const Column& column = schema.columns[index];
  Field field;
  field.name = name;
  field.column = index;
  field.type = column.type;
  field.family = family_of(column);
  field.options = column.options;
  field.target = column.target;
  return field;
}

// ".a.0[].b" as steps; empty if it is not of this form.
std::optional<std::vector<PathStep>> parse_steps(std::string_view rest) {
  std::vector<PathStep> steps;
  while (!rest.empty()) {
    if (rest.starts_with("[]")) {
      steps.push_back({"", true});
      rest.remove_prefix(2);
      continue;
    }
    if (rest[0] != '.') return std::nullopt;
    rest.remove_prefix(1);
    std::size_t end = std::min({rest.find('.'), rest.find("[]"), rest.size()});
    if (end == 0) return std::nullopt;
    steps.push_back({std::string(rest.substr(0, end)), false});
    rest.remove_prefix(end);
  }
  return steps;
}

// Where a path could end its column's id: before every '.' and every "[]".
bool may_split(std::string_view name, std::size_t place) {
  return place > 0 && (name[place] == '.' || name.substr(place, 2) == "[]");
}

Error cannot_enter(std::string_view name, const Column& column) {
  if (column.type == ColumnType::relation) {
    std::string beyond(name.substr(std::min(name.size(), column.id.size() + 1)));
    std::string message = "unknown field '" + std::string(name) + "': '" + column.target +
                          "', to which the relation '" + column.id + "' leads, has no field '" +
                          beyond + "'; db_get_schema of it names the columns";
    return Error{ErrorCode::unknown_field, message, Map{}}.with("field", name);
  }
  std::string message = "unknown field '" + std::string(name) + "': column '" + column.id +
                        "' is " + std::string(name_of(column.type)) +
                        " and has nothing inside; only json columns are reached with dots";
  Error error{ErrorCode::unknown_field, message, Map{}};
  return std::move(error).with("field", name).with("nearest", column.id);
}

// The field of a dotted path, if it begins with the id of a column; the longest such id counts.
std::optional<Result<Field>> bind_path(std::string_view name, const Schema& schema) {
  for (std::size_t place = name.size(); place-- > 0;) {
    if (!may_split(name, place)) continue;
    std::optional<std::size_t> index = schema.index_of(name.substr(0, place));
    std::optional<std::vector<PathStep>> steps = parse_steps(name.substr(place));
    if (!index || !steps) continue;
    Field field = column_field(name, schema, *index);
    if (field.family != Family::json) return cannot_enter(name, schema.columns[*index]);
    field.steps = std::move(*steps);
    return field;
  }
  return std::nullopt;
}

}  // namespace

namespace {

// The column that people see under this name, if there is only one.
const Column* column_displayed_as(std::string_view name, const Schema& schema) {
  const std::string wanted = fold_case(name);
  const Column* found = nullptr;
  for (const Column& column : schema.columns) {
    if (fold_case(column.name) != wanted) continue;
    if (found != nullptr) return nullptr;
    found = &column;
  }
  return found;
}

std::optional<Error> displayed_otherwise(std::string_view name, const Schema& schema) {
  const Column* column = column_displayed_as(name, schema);
  if (column == nullptr) return std::nullopt;
  return Error{
      ErrorCode::unknown_field,
      "unknown field '" + std::string(name) + "'; it is the display name of '" + column->id + "'",
      Map{}}
      .with("field", name)
      .with("nearest", column->id);
}

// A misspelled column at the head of a path is found by itself: dta.epic is near data.epic.
Error unknown_field(std::string_view name, const Schema& schema) {
  if (auto error = displayed_otherwise(name, schema)) return *std::move(error);
  Error error = unknown_name(ErrorCode::unknown_field, "field", name, field_names(schema));
  std::size_t head = std::min(name.find('.'), name.find("[]"));
  bool is_path = head != std::string_view::npos && error.data.find("nearest") == nullptr;
  if (is_path) {
    if (auto nearest = nearest_name(name.substr(0, head), schema.column_ids())) {
      *nearest += name.substr(head);
      error.message += "; did you mean '" + *nearest + "'?";
      error.data.set("nearest", *nearest);
    }
  }
  return std::move(error).with("field", name);
}

}  // namespace

Error unknown_column(std::string_view name, const Schema& schema) {
  if (auto error = displayed_otherwise(name, schema)) return *std::move(error);
  return unknown_name(ErrorCode::unknown_field, "field", name, schema.column_ids())
      .with("field", name);
}

std::vector<std::string> field_names(const Schema& schema) {
  std::vector<std::string> names = schema.column_ids();
  for (const Pseudo& pseudo : pseudo_fields) {
    if (pseudo.name.starts_with('_')) names.emplace_back(pseudo.name);
  }
  return names;
}

Result<Field> bind_field(std::string_view name, const Schema& schema) {
  if (std::optional<std::size_t> index = schema.index_of(name)) {
    return column_field(name, schema, *index);
  }
  const auto* pseudo = std::ranges::find(pseudo_fields, name, &Pseudo::name);
  if (pseudo != pseudo_fields.end()) {
    Field field;
    field.name = name;
    field.source = pseudo->source;
    field.type = pseudo->type;
    field.family = pseudo->family;
    return field;
  }
  if (std::optional<Result<Field>> bound = bind_path(name, schema)) return *std::move(bound);
  return unknown_field(name, schema);
}

std::string_view kind_of(const Field& field) {
  return field.steps.empty() ? name_of(field.type) : "json";
}

bool Field::spreads() const {
  return std::ranges::any_of(steps, &PathStep::every);
}

namespace {

// A key may itself hold dots: the longest join of the next steps that is a key wins.
struct Entered {
  const Value* value;
  std::size_t steps;
};

std::optional<Entered> enter_map(const Value& map, std::span<const PathStep> steps) {
  std::optional<Entered> entered;
  std::string key;
  for (std::size_t taken = 0; taken < steps.size() && !steps[taken].every; ++taken) {
    key += (taken > 0 ? "." : "") + steps[taken].key;
    if (const Value* member = map.find(key)) entered = Entered{member, taken + 1};
  }
  return entered;
}

const Value* enter_list(const Value& list, const std::string& position) {
  std::size_t index = 0;
  const char* end = position.data() + position.size();
  auto read = std::from_chars(position.data(), end, index);
  bool inside = read.ec == std::errc() && read.ptr == end && index < list.list().size();
  return inside ? &list.list()[index] : nullptr;
}

void collect(const Value& value, std::span<const PathStep> steps, List& found) {
  if (steps.empty()) {
    found.push_back(value);
  } else if (steps[0].every) {
    if (!value.is_list()) return;
    for (const Value& item : value.list())
      collect(item, steps.subspan(1), found);
  } else if (value.is_map()) {
    if (auto entered = enter_map(value, steps)) {
      collect(*entered->value, steps.subspan(entered->steps), found);
    }
  } else if (value.is_list()) {
    if (const Value* item = enter_list(value, steps[0].key)) {
      collect(*item, steps.subspan(1), found);
    }
  }
}

Value compared_form(Value value, const Field& field) {
  if (value.is_list()) {
    for (Value& item : value.list())
      item = compared_form(std::move(item), field);
    return value;
  }
  if (value.is_number() || value.is_boolean()) return to_display(value);
  if (value.is_text() && field.type == ColumnType::relation) {
    return row_named_by(value.text(), field.target);
  }
  return value;
}

}  // namespace

Value Field::read(Value value) const {
  if (!steps.empty()) {
    List found;
    collect(value, steps, found);
    if (spreads()) return found;
    return found.empty() ? Value() : std::move(found.front());
  }
  bool textual = family == Family::text || family == Family::list || family == Family::moment;
  return textual ? compared_form(std::move(value), *this) : std::move(value);
}

FieldValues::FieldValues(const Table& table, const Field& field) : table_(&table), field_(&field) {
  if (coded()) codes_ = table.codes(field.column);
}

std::uint32_t FieldValues::value_count() const {
  return table_->value_count(field_->column);
}

Value FieldValues::of_code(std::uint32_t code) const {
  return code == 0 ? field_->read(Value()) : field_->read(table_->value(field_->column, code));
}

bool FieldValues::fits(std::uint32_t code) const {
  return code == 0 || !field_->steps.empty() || table_->fits(field_->column, code);
}

Result<Value> FieldValues::of_row(std::uint32_t row) const {
  switch (field_->source) {
    case Field::Source::column: return of_code(codes_[row]);
    case Field::Source::id: return Value(table_->row_id(row));
    case Field::Source::path: return Value(table_->path(row));
    case Field::Source::modified: return Value(format_utc(table_->modified(row)));
    case Field::Source::body: break;
  }
  Result<std::string> body = table_->body(row);
  if (!body) return body.error();
  return Value(*std::move(body));
}

std::span<const std::uint32_t> FieldValues::rank_index() const {
  if (!coded() || !field_->steps.empty() || field_->by_options) return {};
  return table_->ranks(field_->column);
}

std::span<const std::uint32_t> FieldValues::count_cache() const {
  return coded() ? table_->counts(field_->column) : std::span<const std::uint32_t>();
}

}  // namespace notesdb
