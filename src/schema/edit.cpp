#include "schema/edit.h"

#include <algorithm>
#include <utility>

#include "yaml/scalar.h"
#include "yaml/writer.h"

namespace notesdb {

namespace {

// A name as it is spelled, also where it looks like a number.
std::string text_of(const Value& value) {
  if (value.is_text()) return value.text();
  return value.is_scalar() ? write_scalar(value, nullptr, NodeStyle::plain, ScalarPlace::block)
                           : std::string();
}

std::string member_text(const Value& map, std::string_view key) {
  const Value* found = map.find(key);
  return found == nullptr ? std::string() : text_of(*found);
}

void erase_key(Value& map, std::string_view key) {
  std::erase_if(map.map(), [key](const Member& member) { return member.key == key; });
}

// Null removes.
void set_keys_of(Value& map, const Map& keys) {
  for (const Member& member : keys) {
    if (member.value.is_null()) {
      erase_key(map, member.key);
    } else {
      map.set(member.key, member.value);
    }
  }
}

// Lists and single things that may stand in their place.
List& as_list(Value& value) {
  if (!value.is_list()) value = List{std::move(value)};
  return value.list();
}

List::iterator find_by_id(List& list, std::string_view id) {
  return std::ranges::find_if(list,
                              [id](const Value& one) { return member_text(one, "id") == id; });
}

// A filter, or the ones that an `any` holds.
template <typename Visit>
void each_filter(Value& view, Visit visit) {
  Value* filters = view.find("filters");
  if (filters == nullptr) return;
  if (filters->is_map()) visit(*filters);
  if (!filters->is_list()) return;
  for (Value& filter : filters->list()) {
    Value* any = filter.find("any");
    if (any == nullptr || !any->is_list()) {
      visit(filter);
      continue;
    }
    for (Value& one : any->list())
      visit(one);
  }
}

// Whether something was replaced. An element that has no replacement goes.
bool replace_in(Value& value, const NewOption& change) {
  if (!value.is_list()) {
    if (text_of(value) != change.option || !change.replacement) return false;
    value = *change.replacement;
    return true;
  }
  const List before = value.list();
  List after;
  for (const Value& item : before) {
    const bool is_it = text_of(item) == change.option;
    if (is_it && !change.replacement) continue;
    Value kept = is_it ? Value(*change.replacement) : item;
    if (is_it && std::ranges::find(before, kept) != before.end()) continue;
    after.push_back(std::move(kept));
  }
  if (after == before) return false;
  value = std::move(after);
  return true;
}

}  // namespace

Value SchemaEdit::value_of(std::string_view key) const {
  const Node* node = note_.find(key);
  return node == nullptr ? Value() : read_untyped(*node);
}

void SchemaEdit::store(std::string_view key, const Value& value) {
  if (failure_) return;
  auto edit = value.is_null() ? note_.remove(key) : note_.set(key, value);
  if (!edit) failure_ = std::move(edit).error();
}

void SchemaEdit::set_keys(const Map& keys) {
  for (const Member& member : keys)
    store(member.key, member.value);
}

void SchemaEdit::add_view(const Map& view) {
  Value views = value_of("views");
  if (!views.is_list()) views = List{};
  views.list().emplace_back(view);
  store("views", views);
}

void SchemaEdit::set_view(std::string_view id, const Map& keys) {
  Value views = value_of("views");
  if (!views.is_list()) return;
  auto view = find_by_id(views.list(), id);
  if (view == views.list().end()) return;
  set_keys_of(*view, keys);
  store("views", views);
}

void SchemaEdit::drop_view(std::string_view id) {
  Value views = value_of("views");
  if (!views.is_list()) return;
  auto view = find_by_id(views.list(), id);
  if (view == views.list().end()) return;
  views.list().erase(view);
  store("views", views.list().empty() ? Value() : views);
}

void SchemaEdit::add_column(const Map& column, std::size_t place) {
  Value columns = value_of("columns");
  place = std::min(place, columns.list().size());
  columns.list().insert(columns.list().begin() + static_cast<std::ptrdiff_t>(place), column);
  store("columns", columns);
}

void SchemaEdit::set_column(std::string_view id, const Map& keys) {
  Value columns = value_of("columns");
  auto column = find_by_id(columns.list(), id);
  if (column == columns.list().end()) return;
  set_keys_of(*column, keys);
  store("columns", columns);
}

void SchemaEdit::drop_column(std::string_view id) {
  Value columns = value_of("columns");
  auto column = find_by_id(columns.list(), id);
  if (column == columns.list().end()) return;
  columns.list().erase(column);
  store("columns", columns);
}

void SchemaEdit::move_column(std::string_view id, std::size_t place) {
  Value columns = value_of("columns");
  List& list = columns.list();
  auto column = find_by_id(list, id);
  if (column == list.end()) return;
  const auto old_place = static_cast<std::size_t>(column - list.begin());
  Value moved = std::move(*column);
  list.erase(column);
  if (old_place < place) --place;
  place = std::min(place, list.size());
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(place), std::move(moved));
  store("columns", columns);
}

Value SchemaEdit::column_key(std::string_view id, std::string_view key) const {
  Value columns = value_of("columns");
  auto column = find_by_id(columns.list(), id);
  const Value* found = column == columns.list().end() ? nullptr : column->find(key);
  return found == nullptr ? Value() : *found;
}

void SchemaEdit::lose(const std::string& view, std::string_view what, const std::string& field) {
  losses_.push_back("the view '" + view + "' no longer " + std::string(what) + " '" + field + "'");
}

void SchemaEdit::rename_in_filters(const FieldNames& names,
                                   const std::string& view,
                                   List& filters) {
  List kept;
  for (Value& filter : filters) {
    if (Value* any = filter.find("any"); any != nullptr && any->is_list()) {
      rename_in_filters(names, view, any->list());
      if (!any->list().empty()) kept.push_back(std::move(filter));
      continue;
    }
    const std::string field = member_text(filter, "field");
    const auto name = field.empty() ? std::optional(field) : names.of_view(field);
    if (!name) {
      lose(view, "filters by", field);
      continue;
    }
    if (*name != field) filter.set("field", *name);
    kept.push_back(std::move(filter));
  }
  filters = std::move(kept);
}

void SchemaEdit::rename_in_sorts(const FieldNames& names, const std::string& view, Value& sorts) {
  List kept;
  for (Value& sort : as_list(sorts)) {
    const std::string field = sort.is_map() ? member_text(sort, "field") : text_of(sort);
    const auto name = names.of_view(field);
    if (!name) {
      lose(view, "sorts by", field);
      continue;
    }
    if (*name != field && sort.is_map()) sort.set("field", *name);
    if (*name != field && !sort.is_map()) sort = *name;
    kept.push_back(std::move(sort));
  }
  sorts = std::move(kept);
}

void SchemaEdit::rename_in_view(const FieldNames& names, Value& view) {
  std::string id = member_text(view, "id");
  if (id.empty()) id = member_text(view, "name");
  constexpr std::pair<std::string_view, std::string_view> singles[] = {
      {"group_by", "groups by"}, {"date_column", "shows the dates of"}, {"sort_by", "sorts by"}};
  for (const auto& [key, what] : singles) {
    const std::string field = member_text(view, key);
    if (field.empty()) continue;
    const auto name = names.of_view(field);
    if (!name) {
      lose(id, what, field);
      erase_key(view, key);
      if (key == "sort_by") erase_key(view, "sort_desc");
    } else if (*name != field) {
      view.set(key, *name);
    }
  }
  if (Value* columns = view.find("columns"); columns != nullptr && !columns->is_null()) {
    const Value before = *columns;
    List kept;
    for (const Value& column : as_list(*columns)) {
      const std::string field = text_of(column);
      if (const auto name = names.of_view(field)) kept.push_back(*name == field ? column : *name);
    }
    *columns = before.is_list() || kept.empty() ? Value(std::move(kept)) : kept.front();
  }
  if (Value* sorts = view.find("sorts"); sorts != nullptr && !sorts->is_null()) {
    const bool is_single = !sorts->is_list();
    rename_in_sorts(names, id, *sorts);
    if (is_single && sorts->list().size() == 1) *sorts = Value(sorts->list().front());
  }
  if (Value* filters = view.find("filters"); filters != nullptr && !filters->is_null()) {
    const bool is_single = !filters->is_list();
    rename_in_filters(names, id, as_list(*filters));
    if (is_single && filters->list().size() == 1) *filters = Value(filters->list().front());
  }
}

void SchemaEdit::rename_in_templates(const FieldNames& names) {
  Value templates = value_of("templates");
  if (!templates.is_map()) return;
  for (Member& made : templates.map()) {
    Value* fields = made.value.find("fields");
    if (fields == nullptr || !fields->is_map()) continue;
    if (names.new_column.empty()) erase_key(*fields, names.column);
    for (Member& field : fields->map())
      if (field.key == names.column) field.key = names.new_column;
  }
  store("templates", templates);
}

namespace {

void rename(Value& map, std::string_view key, const FieldNames::NewName& new_name) {
  const std::string before = member_text(map, key);
  const auto now = new_name && !before.empty() ? new_name(before) : std::nullopt;
  if (now && *now != before) map.set(key, *now);
}

}  // namespace

void SchemaEdit::rename_in_computed(const FieldNames& names) {
  Value columns = value_of("columns");
  for (Value& column : columns.list()) {
    if (member_text(column, "type") == "formula") {
      rename(column, "expression", names.of_expression);
      continue;
    }
    if (member_text(column, "type") != "rollup") continue;
    Value* nested = column.find("rollup");
    Value& rollup = nested != nullptr && nested->is_map() ? *nested : column;
    const Rollup before{member_text(rollup, "relation"),
                        member_text(rollup, "field"),
                        "",
                        member_text(rollup, "from")};
    if (before.relation == names.column && !names.new_column.empty()) {
      rollup.set("relation", names.new_column);
    }
    rename(rollup, "from", names.of_from);
    rename(rollup, "field", [&](const std::string& field) {
      return names.of_rollup ? names.of_rollup(before) : std::optional(field);
    });
  }
  store("columns", columns);
}

void SchemaEdit::rename_fields(const FieldNames& names) {
  Value views = value_of("views");
  if (views.is_list()) {
    for (Value& view : views.list())
      if (view.is_map()) rename_in_view(names, view);
    store("views", views);
  }
  rename_in_computed(names);
  if (names.column.empty()) return;
  rename_in_templates(names);
  Value row_id = value_of("row_id");
  if (row_id.is_map() && member_text(row_id, "from") == names.column) {
    set_keys_of(row_id, {{"from", names.new_column.empty() ? Value() : Value(names.new_column)}});
    store("row_id", row_id);
  }
}

void SchemaEdit::replace_option(const NewOption& change) {
  Value views = value_of("views");
  if (views.is_list()) {
    for (Value& view : views.list()) {
      each_filter(view, [&](Value& filter) {
        Value* value = filter.find("value");
        const bool is_about = change.is_about(member_text(filter, "field"));
        if (is_about && value != nullptr) replace_in(*value, change);
      });
    }
    store("views", views);
  }
  if (change.column.empty()) return;
  Value templates = value_of("templates");
  for (std::size_t i = 0; templates.is_map() && i < templates.map().size(); ++i) {
    Member& made = templates.map()[i];
    Value* fields = made.value.find("fields");
    Value* value = fields == nullptr ? nullptr : fields->find(change.column);
    if (value == nullptr || replace_in(*value, change) || text_of(*value) != change.option)
      continue;
    erase_key(*fields, change.column);
    losses_.push_back("the template '" + made.key + "' no longer sets '" + change.column + "'");
  }
  if (templates.is_map()) store("templates", templates);
  Value otherwise = column_key(change.column, "default");
  if (replace_in(otherwise, change)) {
    set_column(change.column, {{"default", otherwise}});
  } else if (!otherwise.is_null() && text_of(otherwise) == change.option) {
    set_column(change.column, {{"default", nullptr}});
    losses_.push_back("'" + change.column + "' no longer has a default");
  }
}

Result<std::string> SchemaEdit::bytes() const {
  if (failure_) return *failure_;
  return note_.bytes();
}

namespace {

bool leads_there(const Schema& schema, const Relink& how, const Value* column_id) {
  if (column_id == nullptr || !column_id->is_text()) return false;
  const Column* column = schema.find(column_id->text());
  return column != nullptr && column->type == ColumnType::relation && column->target == how.target;
}

void relink_member(const Relink& how, Value& map, std::string_view key) {
  if (Value* value = map.find(key)) *value = relink_relation(how, *value);
}

// Maps that name a column by `key` and hold a value of it, at any depth.
void relink_maps(const Schema& schema,
                 const Relink& how,
                 std::string_view key,
                 std::string_view held,
                 Value& value) {
  if (value.is_list()) {
    for (Value& item : value.list())
      relink_maps(schema, how, key, held, item);
  }
  if (!value.is_map()) return;
  if (leads_there(schema, how, value.find(key))) relink_member(how, value, held);
  for (Member& member : value.map())
    relink_maps(schema, how, key, held, member.value);
}

void relink_templates(const Schema& schema, const Relink& how, Value& templates) {
  if (!templates.is_map()) return;
  for (Member& made : templates.map()) {
    Value* fields = made.value.find("fields");
    if (fields == nullptr || !fields->is_map()) continue;
    for (Member& field : fields->map()) {
      const Value id = field.key;
      if (leads_there(schema, how, &id)) field.value = relink_relation(how, field.value);
    }
  }
}

}  // namespace

Result<Edit> relink_schema(const Schema& schema, const Relink& how, Note& note) {
  Note changed = note;
  if (auto edit = relink(Schema{}, how, changed); !edit) return edit;
  for (const std::string_view key : {"columns", "views", "templates"}) {
    const Node* node = changed.find(key);
    if (node == nullptr) continue;
    Value value = read_untyped(*node);
    if (key == "columns") relink_maps(schema, how, "id", "default", value);
    if (key == "views") relink_maps(schema, how, "field", "value", value);
    if (key == "templates") relink_templates(schema, how, value);
    if (auto edit = changed.set(key, value); !edit) return edit;
  }
  const Edit outcome = changed.bytes() == note.bytes() ? Edit::unchanged : Edit::changed;
  note = std::move(changed);
  return outcome;
}

}  // namespace notesdb
