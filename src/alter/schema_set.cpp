#include "alter/schema_set.h"

#include <algorithm>
#include <utility>

#include "alter/conversion.h"
#include "database/new_schema.h"
#include "database/reverse_rollups.h"
#include "database/schema_check.h"
#include "database/validate.h"
#include "expression/formulas.h"
#include "index/formula_columns.h"
#include "query/order.h"

namespace notesdb {

namespace {

bool has_range(ColumnType type) {
  return type == ColumnType::number || type == ColumnType::date || type == ColumnType::datetime;
}

// An option of other programs may be a map with a color beside its name.
Value& encoded_value_of(Value& option) {
  for (const std::string_view key : {"name", "value", "id"})
    if (Value* found = option.find(key)) return *found;
  return option;
}

// A column as changes of it should leave it, to judge its values by.
Column with_type(Column column, const SchemaChange& change) {
  const Value* type = find_member(change.keys, "type");
  if (type != nullptr) column.type = parse_column_type(type->text());
  column.multiple = false;
  if (const Value* multiple = find_member(change.keys, "multiple")) {
    column.multiple = *multiple == Value(true);
  }
  return column;
}

}  // namespace

Result<SchemaSet> SchemaSet::read(Workspace& workspace, const std::string& database_id) {
  SchemaSet set;
  set.id_ = database_id;
  const auto found = workspace.database_ids();
  if (!found) return found.error();
  for (const std::string& id : found->ids) {
    auto folder = DatabaseFolder::read(workspace.files(), id);
    if (!folder && id == database_id) return folder.error();
    if (!folder) continue;  // what cannot be read names nothing
    SchemaDocument document = (*folder)->document();
    set.schemas_.emplace(id, One{std::move(*folder), std::move(document)});
  }
  if (!set.schemas_.contains(database_id)) {
    return unknown_name(ErrorCode::unknown_database, "database", database_id, found->ids);
  }
  return set;
}

const Schema* SchemaSet::schema_of(const std::string& database) const {
  const auto found = schemas_.find(database);
  return found == schemas_.end() ? nullptr : &found->second.document.schema;
}

// The name with the column's new id in it: the id itself, before the dots of what lies inside a
// json column, or after a relation. Empty where the column goes.
std::optional<std::string> SchemaSet::new_name(const std::string& database,
                                               const std::string& name,
                                               const SchemaChange& change) const {
  const Schema* schema = schema_of(database);
  if (schema == nullptr) return name;
  const auto renamed = [&](const std::string& id) {
    return database == id_ && id == change.column ? change.to : id;
  };
  const auto or_gone = [](std::string text) {
    return text.empty() ? std::nullopt : std::optional(std::move(text));
  };
  if (schema->find(name) != nullptr) return or_gone(renamed(name));
  for (std::size_t place = name.size(); place-- > 1;) {
    const std::string_view rest = std::string_view(name).substr(place);
    if (!rest.starts_with('.') && !rest.starts_with("[]")) continue;
    const Column* column = schema->find(name.substr(0, place));
    if (column == nullptr) continue;
    const std::string head = renamed(column->id);
    if (head.empty()) return std::nullopt;
    if (column->type != ColumnType::relation) return head + std::string(rest);
    const auto behind = new_name(column->target, std::string(rest.substr(1)), change);
    return behind ? std::optional(head + "." + *behind) : std::nullopt;
  }
  return name;
}

bool SchemaSet::leads_to(const std::string& database,
                         const std::string& name,
                         const std::string& column) const {
  const Schema* schema = schema_of(database);
  if (schema == nullptr) return false;
  if (schema->find(name) != nullptr) return database == id_ && name == column;
  const std::size_t dot = name.find('.');
  const Column* relation = dot == std::string::npos ? nullptr : schema->find(name.substr(0, dot));
  return relation != nullptr && relation->type == ColumnType::relation &&
         leads_to(relation->target, name.substr(dot + 1), column);
}

Result<std::size_t> SchemaSet::place_of(const SchemaChange& change) const {
  const auto& other = change.after ? change.after : change.before;
  if (!other) return schema().columns.size();
  const auto place = schema().index_of(*other);
  if (!place) {
    return unknown_name(ErrorCode::unknown_field, "column", *other, schema().column_ids());
  }
  return change.after ? *place + 1 : *place;
}

// The keys of a column of another type: those that mean nothing there go.
Map SchemaSet::keys_of_new_type(const SchemaChange& change) const {
  const Column& before = *schema().find(change.column);
  const Column after = with_type(before, change);
  const auto drop_unless = [](Map& keys, bool stays, std::string_view key) {
    if (!stays && find_member(keys, key) == nullptr) keys.push_back({std::string(key), nullptr});
  };
  Map keys = change.keys;
  const bool is_relation = after.type == ColumnType::relation;
  const bool is_textual = after.type == ColumnType::text || after.type == ColumnType::url;
  drop_unless(keys, has_options(after.type), "options");
  drop_unless(keys, is_relation, "target");
  drop_unless(keys, is_relation && before.type == ColumnType::relation, "multiple");
  drop_unless(keys, is_textual, "pattern");
  const bool keeps_range =
      has_range(after.type) && has_range(before.type) &&
      (after.type == ColumnType::number) == (before.type == ColumnType::number);
  drop_unless(keys, keeps_range, "min");
  drop_unless(keys, keeps_range, "max");
  drop_unless(keys, is_relation, "on_delete");
  for (const std::string_view key : {"decimals", "decimal", "thousands", "prefix", "suffix"})
    drop_unless(keys, after.type == ColumnType::number, key);
  drop_unless(keys, before.expression.empty(), "expression");
  for (const std::string_view key : schema_keys::rollup)
    drop_unless(keys, !before.rollup, key);
  drop_unless(keys, after.holds_date(), "format");
  drop_unless(keys, after.holds_date(), "locale");
  drop_unless(keys, after.holds_date(), "auto");
  if (before.default_value) {
    auto value = to_column_value(after, *before.default_value);
    const bool stays_date = before.holds_date() && after.holds_date();  // `today` is none yet
    if (!value && !stays_date) drop_unless(keys, false, "default");
  }
  return keys;
}

Value SchemaSet::new_options(const SchemaChange& change, const SchemaEdit& edit) const {
  Value options = edit.column_key(change.column, "options");
  if (!options.is_list()) options = List{};
  List& list = options.list();
  const auto& spelled = schema().find(change.column)->options;
  const auto index = [&](const std::string& option) {
    return std::ranges::find(spelled, option) - spelled.begin();
  };
  const auto at = [&](const std::string& option) { return list.begin() + index(option); };
  switch (change.action) {
    case SchemaAction::rename_option: encoded_value_of(*at(change.option)) = change.to; break;
    case SchemaAction::remove_option: list.erase(at(change.option)); break;
    default:
      if (change.after) {
        list.insert(at(*change.after) + 1, change.option);
      } else if (change.before) {
        list.insert(at(*change.before), change.option);
      } else {
        list.emplace_back(change.option);
      }
  }
  return options;
}

Result<void> SchemaSet::take(One& one, const SchemaEdit& edit) {
  auto bytes = edit.bytes();
  if (!bytes) return bytes.error();
  auto document = parse_schema(*std::move(bytes), one.document.note.format());
  if (!document) return document.error();
  one.document = std::move(*document);
  const std::string prefix = one.folder->id() == id_ ? "" : one.folder->id() + ": ";
  for (const std::string& loss : edit.losses())
    losses_.push_back(prefix + loss);
  return {};
}

Result<void> SchemaSet::apply_to_columns(const SchemaChange& change, SchemaEdit& edit) const {
  switch (change.action) {
    case SchemaAction::add_column: {
      const auto place = place_of(change);
      if (!place) return place.error();
      Map column{{"id", change.column}};
      if (find_member(change.keys, "type") == nullptr) column.push_back({"type", "text"});
      for (const Member& key : change.keys)
        if (!key.value.is_null()) column.push_back(key);
      edit.add_column(column, *place);
      break;
    }
    case SchemaAction::move_column: {
      auto place = place_of(change);
      if (!place) return place.error();
      if (!change.after && !change.before) *place = 0;
      edit.move_column(change.column, *place);
      break;
    }
    case SchemaAction::change_type: {
      edit.set_column(change.column, keys_of_new_type(change));
      break;
    }
    case SchemaAction::set_column: edit.set_column(change.column, change.keys); break;
    case SchemaAction::describe: edit.set_keys(change.keys); break;
    case SchemaAction::rename_column: edit.set_column(change.column, {{"id", change.to}}); break;
    case SchemaAction::drop_column: edit.drop_column(change.column); break;
    case SchemaAction::add_option:
    case SchemaAction::rename_option:
    case SchemaAction::remove_option:
      edit.set_column(change.column, {{"options", new_options(change, edit)}});
      break;
    case SchemaAction::add_view:
    case SchemaAction::set_view:
    case SchemaAction::drop_view: break;  // of no column
  }
  return {};
}

Result<void> SchemaSet::edit_each(const EditOne& edit_one) {
  std::vector<std::pair<One*, SchemaEdit>> edits;
  for (auto& [database, one] : schemas_) {
    SchemaEdit edit(one.document);
    if (auto done = edit_one(database, edit); !done) return done;
    edits.emplace_back(&one, std::move(edit));
  }
  for (auto& [one, edit] : edits)
    if (auto done = take(*one, edit); !done) return done;
  return {};
}

namespace {

// The database whose rows a rollup is over; empty where there is none.
std::string rollup_target(const Schema& schema, const Rollup& rollup) {
  if (!rollup.from.empty()) return source_of(rollup.from).database;
  const Column* relation = schema.find(rollup.relation);
  return relation == nullptr ? "" : relation->target;
}

}  // namespace

Result<void> SchemaSet::rename_or_drop(const SchemaChange& change) {
  return edit_each([&](const std::string& database, SchemaEdit& edit) -> Result<void> {
    if (database == id_) {
      if (auto done = apply_to_columns(change, edit); !done) return done;
    }
    FieldNames names;
    names.of_view = [&](const std::string& name) { return new_name(database, name, change); };
    names.of_rollup = [&](const Rollup& rollup) {
      const std::string target = rollup_target(*schema_of(database), rollup);
      return target.empty() ? std::optional(rollup.field) : new_name(target, rollup.field, change);
    };
    names.of_from = [&](const std::string& from) -> std::optional<std::string> {
      const RollupSource source = source_of(from);
      const bool is_meant = source.database == id_ && source.column == change.column;
      return is_meant && !change.to.empty() ? source.database + "." + change.to : from;
    };
    if (database == id_) {
      names.column = change.column;
      names.new_column = change.to;
      names.of_expression = [&](const std::string& text) -> std::optional<std::string> {
        return change.to.empty()
                   ? text
                   : expression::with_renamed_property(text, change.column, change.to);
      };
    }
    edit.rename_fields(names);
    return {};
  });
}

Result<void> SchemaSet::change_option(const SchemaChange& change) {
  return edit_each([&](const std::string& database, SchemaEdit& edit) -> Result<void> {
    NewOption option;
    option.option = change.option;
    if (!change.to.empty()) option.replacement = change.to;
    option.is_about = [&](const std::string& name) {
      return leads_to(database, name, change.column);
    };
    if (database == id_) {
      if (auto done = apply_to_columns(change, edit); !done) return done;
      option.column = change.column;
    }
    if (change.action != SchemaAction::add_option) edit.replace_option(option);
    return {};
  });
}

namespace {

// Sorts as a schema file has them, however a person wrote them; what cannot be read stays, and is
// refused with the schema that it makes.
Value sorts_of_file(const Value& given, const Schema& schema) {
  const auto is_name = [&](std::string_view name) { return schema.find(name) != nullptr; };
  const auto keys = parse_sort(given, is_name);
  if (!keys || given.is_null()) return given;
  List sorts;
  for (const SortKeyText& key : *keys) {
    const bool descends = key.direction == Direction::descending;
    sorts.push_back(Map{{"field", key.field + (key.by_options ? ":options" : "")},
                        {"direction", descends ? "desc" : "asc"}});
  }
  return sorts;
}

Map view_keys_of_file(Map keys, const Schema& schema) {
  for (Member& member : keys)
    if (member.key == "sorts") member.value = sorts_of_file(member.value, schema);
  return keys;
}

}  // namespace

Result<void> SchemaSet::change_view(const SchemaChange& change) {
  One& own = schemas_.at(id_);
  SchemaEdit edit(own.document);
  const Map keys = view_keys_of_file(change.keys, schema());
  if (change.action == SchemaAction::add_view) {
    Map view{{"id", change.view}};
    for (const Member& key : keys)
      if (!key.value.is_null()) view.push_back(key);
    if (find_member(keys, "name") == nullptr) view.insert(view.begin() + 1, {"name", change.view});
    if (find_member(keys, "type") == nullptr) view.insert(view.begin() + 2, {"type", "table"});
    edit.add_view(view);
  } else if (change.action == SchemaAction::set_view) {
    edit.set_view(change.view, keys);
  } else {
    edit.drop_view(change.view);
  }
  return take(own, edit);
}

Result<void> SchemaSet::apply(const SchemaChange& change) {
  if (auto fine = check(change); !fine) return fine;
  switch (change.action) {
    case SchemaAction::rename_column:
    case SchemaAction::drop_column: return rename_or_drop(change);
    case SchemaAction::add_option:
    case SchemaAction::rename_option:
    case SchemaAction::remove_option: return change_option(change);
    case SchemaAction::add_view:
    case SchemaAction::set_view:
    case SchemaAction::drop_view: return change_view(change);
    default: break;
  }
  One& own = schemas_.at(id_);
  SchemaEdit edit(own.document);
  if (auto done = apply_to_columns(change, edit); !done) return done;
  return take(own, edit);
}

std::vector<SchemaSet::Altered> SchemaSet::altered() const {
  std::vector<Altered> altered;
  for (const auto& [id, one] : schemas_) {
    const std::string& before = one.folder->document().note.bytes();
    const std::string& after = one.document.note.bytes();
    if (before == after) continue;
    altered.push_back({one.folder->schema_path(), one.folder->schema_etag(), before, after});
  }
  return altered;
}

namespace {

Error wrong(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), Map{}};
}

// What is wrong with a schema, each thing by itself.
std::vector<std::string> issue_messages(const SchemaDocument& document,
                                        const OtherSchemas& others) {
  std::vector<std::string> messages;
  for (const Issue& issue : document.issues)
    messages.push_back(issue.message);
  for (const Error& error : check_new_schema(document.schema)) {
    const Value* parts = error.data.find("errors");
    if (parts == nullptr) {
      messages.push_back(error.message);
      continue;
    }
    // Several of one view, after its name.
    const std::string& first = parts->list().front().find("message")->text();
    const std::string name = error.message.substr(0, error.message.find(first));
    for (const Value& part : parts->list())
      messages.push_back(name + part.find("message")->text());
  }
  for (ColumnProblem& problem : check_relations(document.schema, others))
    messages.push_back(std::move(problem.message));
  return messages;
}

}  // namespace

bool SchemaSet::uses(const std::string& database,
                     const Schema& schema,
                     const Rollup& rollup,
                     const SchemaChange& change) const {
  const RollupSource source = source_of(rollup.from);
  if (source.database == id_ && source.column == change.column) return true;
  if (database == id_ && rollup.relation == change.column) return true;
  const std::string target = rollup_target(schema, rollup);
  return !target.empty() && !rollup.field.empty() && !new_name(target, rollup.field, change);
}

// A column that rollups and formulas compute from stays.
Result<void> SchemaSet::check_unused(const SchemaChange& change) const {
  if (schema().columns.size() == 1) {
    return wrong("'" + change.column + "' is the only column, and a database has at least one");
  }
  for (const auto& [id, one] : schemas_) {
    Schema typed = one.document.schema;
    const FormulaColumns formulas(typed);
    for (const Column& column : one.document.schema.columns) {
      const bool is_used =
          column.rollup ? uses(id, one.document.schema, *column.rollup, change)
          : id == id_ && column.id != change.column
              ? std::ranges::count(formulas.names_used(column.id), change.column) > 0
              : false;
      if (!is_used) continue;
      return Error{ErrorCode::invalid_value,
                   "'" + change.column + "' cannot go: the " + column.type_name + " column '" +
                       column.id + "' of '" + id + "' computes from it; drop that one first"};
    }
  }
  return {};
}

// Of a view that is set or dropped, and of a new one that would hide it.
Result<void> SchemaSet::check_view(const SchemaChange& change) const {
  if (change.action == SchemaAction::set_view && change.keys.empty())
    return wrong("set_view sets no key");
  const std::vector<std::string> types{"table", "board", "calendar"};
  const Value* type = find_member(change.keys, "type");
  if (type != nullptr && !type->is_null()) {
    const std::string name = type->is_text() ? type->text() : to_display(*type);
    if (std::ranges::find(types, name) == types.end())
      return unknown_name(ErrorCode::invalid_argument, "type of a view", name, types);
  }
  const bool is_there = schema().find_view(change.view) != nullptr;
  if (change.action == SchemaAction::add_view) {
    if (!is_there) return {};
    return Error{ErrorCode::already_exists,
                 "the view '" + change.view + "' exists already; set_view changes it",
                 Map{}};
  }
  if (is_there) return {};
  std::vector<std::string> ids;
  for (const View& view : schema().views)
    ids.push_back(view.id);
  return unknown_name(ErrorCode::invalid_argument, "view", change.view, ids);
}

Result<void> SchemaSet::check_type(const SchemaChange& change) const {
  const Value* given = find_member(change.keys, "type");
  const std::string type = given != nullptr && given->is_text() ? given->text() : "text";
  const ColumnType known = parse_column_type(type);
  const bool adds = change.action == SchemaAction::add_column;
  const bool is_computed = known == ColumnType::rollup || known == ColumnType::formula;
  if (known == ColumnType::unknown || (is_computed && !adds)) {
    std::vector<std::string> types = column_type_names();
    if (!adds) {
      std::erase(types, name_of(ColumnType::rollup));
      std::erase(types, name_of(ColumnType::formula));
    }
    return unknown_name(ErrorCode::invalid_value, "column type", type, types);
  }
  const Value* options = find_member(change.keys, "options");
  if (has_options(known) && adds && (options == nullptr || !options->is_list())) {
    return wrong("a " + type + " column needs 'options', a list of texts");
  }
  if (known != ColumnType::relation) return {};
  const Value* target = find_member(change.keys, "target");
  const Column* column = schema().find(change.column);
  const std::string database = target != nullptr && target->is_text() ? target->text()
                               : column != nullptr                    ? column->target
                                                                      : "";
  if (schema_of(database) != nullptr) return {};
  std::vector<std::string> ids;
  for (const auto& [id, one] : schemas_)
    ids.push_back(id);
  return unknown_name(ErrorCode::invalid_value, "target of a relation", database, ids);
}

Result<void> SchemaSet::check_option(const SchemaChange& change) const {
  const Column& column = *schema().find(change.column);
  if (!has_options(column.type)) {
    return wrong("'" + column.id + "' is a " + column.type_name +
                 " column; only select and multi-select columns have options");
  }
  const auto has = [&](const std::string& option) {
    return std::ranges::find(column.options, option) != column.options.end();
  };
  const auto unknown = [&](const std::string& option) {
    return unknown_name(
        ErrorCode::invalid_value, "option of '" + column.id + "'", option, column.options);
  };
  for (const auto& other : {change.after, change.before})
    if (other && !has(*other)) return unknown(*other);
  const bool adds = change.action == SchemaAction::add_option;
  if (!adds && !has(change.option)) return unknown(change.option);
  const bool removes = change.action == SchemaAction::remove_option;
  if (removes && !change.to.empty() && (!has(change.to) || change.to == change.option)) {
    return unknown(change.to);
  }
  const std::string& fresh = adds ? change.option : change.to;
  if (removes || !has(fresh)) return {};
  std::string hint = adds ? "" : "; to join the two: remove_option with 'to'";
  return Error{ErrorCode::already_exists,
               "'" + fresh + "' is an option of '" + column.id + "' already" + hint};
}

Result<void> SchemaSet::check(const SchemaChange& change) const {
  if (change.action == SchemaAction::describe) {
    const Value* name = find_member(change.keys, "name");
    if (change.keys.empty()) return wrong("describe sets 'name' or 'description'");
    if (name != nullptr && !(name->is_text() && !name->text().empty())) {
      return wrong("a database has a name");
    }
    return {};
  }
  if (is_about_view(change.action)) return check_view(change);
  const bool adds = change.action == SchemaAction::add_column;
  const std::string& fresh = adds ? change.column : change.to;
  const bool names_new = adds || change.action == SchemaAction::rename_column;
  if (!adds && schema().find(change.column) == nullptr) {
    return unknown_name(ErrorCode::unknown_field, "column", change.column, schema().column_ids());
  }
  if (names_new && schema().find(fresh) != nullptr) {
    return Error{ErrorCode::already_exists, "there is a column '" + fresh + "' already"};
  }
  if (names_new && fresh.starts_with('_')) {
    return wrong("the column id '" + fresh + "' begins with '_'; such names are ours");
  }
  switch (change.action) {
    case SchemaAction::add_column:
    case SchemaAction::change_type: return check_type(change);
    case SchemaAction::drop_column: return check_unused(change);
    case SchemaAction::add_option:
    case SchemaAction::rename_option:
    case SchemaAction::remove_option: return check_option(change);
    case SchemaAction::set_column:
      if (change.keys.empty() && !change.fill) return wrong("set_column sets no key");
      return {};
    default: return {};
  }
}

std::vector<Error> SchemaSet::new_problems() const {
  std::vector<Error> problems;
  const auto others = [this](auto schema_in) {
    OtherSchemas made;
    const auto ids = std::make_shared<std::vector<std::string>>();
    for (const auto& [id, one] : schemas_)
      ids->push_back(id);
    made.ids = ids;
    made.find = [this, schema_in](const std::string& id) -> std::optional<const Schema*> {
      const auto found = schemas_.find(id);
      return found == schemas_.end() ? std::nullopt : std::optional(schema_in(found->second));
    };
    return made;
  };
  const OtherSchemas others_before =
      others([](const One& one) -> const Schema* { return &one.folder->document().schema; });
  const OtherSchemas others_after =
      others([](const One& one) -> const Schema* { return &one.document.schema; });
  for (const auto& [id, one] : schemas_) {
    std::vector<std::string> old = issue_messages(one.folder->document(), others_before);
    std::vector<std::string> now = issue_messages(one.document, others_after);
    if (now.size() <= old.size()) continue;  // the same ones under other names
    for (const std::string& message : now) {
      if (std::ranges::find(old, message) != old.end()) continue;
      problems.push_back(
          {ErrorCode::invalid_value, (id == id_ ? "" : "'" + id + "': ") + message, Map{}});
    }
  }
  return problems;
}

}  // namespace notesdb
