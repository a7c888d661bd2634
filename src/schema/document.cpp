#include "schema/document.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/date_format.h"
#include "core/error.h"
#include "core/schema.h"
#include "core/text.h"
#include "note/conflict_markers.h"
#include "note/note.h"
#include "yaml/scalar.h"

namespace notesdb::schema_keys {

Names of_schema() {
  return {"name", "description", "columns", "views", "templates", "row_id", "rows"};
}

Names of_column() {
  Names keys{"id", "rollup"};
  keys.insert(keys.begin() + 1, column_settings.begin(), column_settings.end());
  keys.insert(keys.end(), rollup.begin(), rollup.end());
  return keys;
}

Names of_view() {
  Names keys{"id"};
  keys.insert(keys.end(), view_settings.begin(), view_settings.end());
  return keys;
}

Names of_template() {
  return {"name", "title", "fields", "body"};
}

Names of_row_id() {
  return {"style", "prefix", "digits", "from", "format"};
}

Names of_rows() {
  return {"include", "exclude", "layout", "folder_note"};
}

}  // namespace notesdb::schema_keys

namespace notesdb {

namespace {

// Schema reader: the fields of a schema's note as a Schema, with an issue for whatever is not
// usable. One reader reads one schema.

class SchemaReader {
 public:
  Schema read(const Note& note);
  // What is wrong, rule `schema`.
  std::vector<Issue>& issues() { return issues_; }

 private:
  void read_columns(const Node& columns);
  void read_column(const Node& node);
  void read_date_keys(Column& column, const Node& node);
  void read_number_keys(Column& column, const Node& node);
  void read_default(Column& column, const Node& node);
  void check_column(const Column& column, const Node& node);
  void read_views(const Node& views);
  void read_templates(const Node& templates);
  void read_row_id(const Node& node);
  void read_rows(const Node& node);

  // A key that is nearly one of `known` is most often a slip, and what it says would not hold;
  // any other key is kept and has no meaning to us.
  void check_keys(const Node& map, const std::vector<std::string>& known);
  std::string text(const Node& map, std::string_view key);
  std::vector<std::string> texts(const Node& map, std::string_view key);
  bool flag(const Node& map, std::string_view key);
  std::optional<Value> typed(const Column& column, const Node& map, std::string_view key);
  void report(const Node& place, std::string message, Severity severity = Severity::error);

  Schema schema_;
  std::vector<Issue> issues_;
};

// Text as it is spelled, whatever a reader without a column would take it for.
std::string spelled(const Node& node) {
  return node.is_scalar() ? node.text : std::string();
}

// An option of other programs may be a map with a color beside its name.
std::string option_of(const Node& node) {
  for (std::string_view key : {"name", "value", "id"})
    if (const Node* member = node.find(key)) return spelled(*member);
  return spelled(node);
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names)
    out += (out.empty() ? "" : ", ") + name;
  return out;
}

schema_keys::Names known_in_schema() {
  auto keys = schema_keys::of_schema();
  keys.emplace_back("next_row_id");
  return keys;
}

// `sort_by` and `sort_desc` as the sorts they mean.
Value sorts_of(const Node& view, const std::string& sort_by, bool descending) {
  if (const Node* sorts = view.find("sorts"); sorts != nullptr && !sorts->is_null()) {
    return read_untyped(*sorts);
  }
  if (sort_by.empty()) return {};
  return List{Map{{"field", sort_by}, {"direction", descending ? "desc" : "asc"}}};
}

Schema SchemaReader::read(const Note& note) {
  Node root;
  root.kind = NodeKind::map;
  for (const NoteField& field : note.fields())
    if (field.readable) root.members.push_back({field.key, field.node});
  check_keys(root, known_in_schema());
  schema_.name = text(root, "name");
  schema_.description = text(root, "description");
  if (schema_.name.empty()) {
    Node top;
    top.line = note.front_matter().first_line;
    report(top, "a schema has a 'name'");
  }
  if (const Node* node = root.find("columns")) read_columns(*node);
  if (const Node* node = root.find("views")) read_views(*node);
  if (const Node* node = root.find("templates")) read_templates(*node);
  if (const Node* node = root.find("row_id")) read_row_id(*node);
  if (const Node* node = root.find("rows")) read_rows(*node);
  if (const Node* node = root.find("next_row_id"); node != nullptr && !node->is_null()) {
    Value next = read_untyped(*node);
    if (next.is_integer()) {
      schema_.next_row_id = next.integer();
    } else {
      report(*node, "next_row_id is a whole number");
    }
  }
  return std::move(schema_);
}

void SchemaReader::read_columns(const Node& columns) {
  for (const Node& node : columns.items)
    read_column(node);
}

void SchemaReader::read_column(const Node& node) {
  if (!node.is_map()) return report(node, "a column is a map with an id and a type");
  check_keys(node, schema_keys::of_column());
  Column column;
  column.id = text(node, "id");
  if (column.id.empty()) return report(node, "a column has an 'id'; this one is left out");
  if (column.id.starts_with('_')) {
    return report(node, "the column id '" + column.id + "' begins with '_'; such names are ours");
  }
  if (schema_.find(column.id) != nullptr) {
    return report(node, "duplicate column '" + column.id + "'; the first one counts");
  }
  column.name = text(node, "name");
  if (column.name.empty()) column.name = column.id;
  column.type_name = text(node, "type");
  column.type = parse_column_type(column.type_name);
  column.description = text(node, "description");
  if (const Node* options = node.find("options"); options != nullptr && options->is_list()) {
    for (const Node& option : options->items)
      column.options.push_back(option_of(option));
  }
  column.target = text(node, "target");
  column.multiple = flag(node, "multiple");
  column.required = flag(node, "required");
  column.unique = flag(node, "unique");
  column.pattern = text(node, "pattern");
  column.merge = text(node, "merge");
  read_date_keys(column, node);
  read_number_keys(column, node);
  read_default(column, node);
  if (const std::string choice = text(node, "on_delete"); !choice.empty()) {
    const auto known = parse_on_delete(choice);
    if (!known) {
      report(*node.find("on_delete"),
             "'" + choice + "' is not an 'on_delete'; choices: keep, refuse, clear");
    } else if (column.type != ColumnType::relation) {
      report(*node.find("on_delete"), "'on_delete' belongs to a relation");
    }
    column.on_delete = known.value_or(OnDelete::keep);
  }
  Column bound = column;
  bound.number_format = {};
  if (bound.type != ColumnType::number) bound.type = ColumnType::text;
  column.min = typed(bound, node, "min");
  column.max = typed(bound, node, "max");
  if (column.type == ColumnType::rollup) {
    const Node* nested = node.find("rollup");
    const Node& from = nested != nullptr && nested->is_map() ? *nested : node;
    column.rollup = Rollup{
        text(from, "relation"), text(from, "field"), text(from, "function"), text(from, "from")};
  }
  if (column.type == ColumnType::formula) column.expression = text(node, "expression");
  check_column(column, node);
  schema_.columns.push_back(std::move(column));
}

void SchemaReader::read_date_keys(Column& column, const Node& node) {
  if (const std::string choice = text(node, "auto"); !choice.empty()) {
    const auto known = parse_auto_date(choice);
    if (!known) {
      report(*node.find("auto"), "'" + choice + "' is not an 'auto'; choices: created, updated");
    } else if (!column.holds_date()) {
      report(*node.find("auto"), "'auto' belongs to a date or datetime column");
    } else {
      column.auto_date = *known;
    }
  }
  column.locale = text(node, "locale");
  if (!column.locale.empty() &&
      (!column.holds_date() || find_date_names(column.locale) == nullptr)) {
    report(*node.find("locale"),
           column.holds_date()
               ? "unknown locale '" + column.locale + "'; choices: " + date_locales()
               : "'locale' belongs to a date or datetime column");
    column.locale.clear();
  }
  for (std::string& format : texts(node, "format")) {
    if (!column.holds_date()) {
      return report(*node.find("format"), "'format' belongs to a date or datetime column");
    }
    if (const auto problem = problem_of_date_format(format)) {
      report(*node.find("format"), "the format '" + format + "': " + *problem);
    } else {
      column.formats.push_back(std::move(format));
    }
  }
}

void SchemaReader::read_number_keys(Column& column, const Node& node) {
  NumberFormat format;
  const std::array<std::pair<std::string_view, std::string*>, 4> signs{
      {{"decimal", &format.decimal},
       {"thousands", &format.thousands},
       {"prefix", &format.prefix},
       {"suffix", &format.suffix}}};
  for (const auto& [key, sign] : signs) {
    *sign = text(node, key);
    if (!sign->empty() && column.type != ColumnType::number)
      return report(*node.find(key), "'" + std::string(key) + "' belongs to a number column");
  }
  if (const auto problem = problem_of_number_format(format)) {
    report(node, *problem);
  } else {
    column.number_format = std::move(format);
  }
  const Node* decimals = node.find("decimals");
  if (decimals == nullptr || decimals->is_null()) return;
  const Value count = read_untyped(*decimals);
  const bool is_count = count.is_integer() && count.integer() >= 0 && count.integer() <= 15;
  if (column.type != ColumnType::number) {
    report(*decimals, "'decimals' belongs to a number column");
  } else if (!is_count) {
    report(*decimals, "'decimals' is a whole number from 0 to 15");
  } else {
    column.decimals = static_cast<int>(count.integer());
  }
}

// A default is ISO however the files spell their dates, or `today`, or `now`; a number is plain.
void SchemaReader::read_default(Column& column, const Node& node) {
  Column plain = column;
  plain.formats.clear();
  plain.number_format = {};
  const Node* given = node.find("default");
  if (column.holds_date() && given != nullptr && given->is_scalar() &&
      parse_relative_moment(given->text, Timestamp{})) {
    plain.type = ColumnType::text;
  }
  column.default_value = typed(plain, node, "default");
}

void SchemaReader::check_column(const Column& column, const Node& node) {
  std::string name = "the column '" + column.id + "' ";
  if (column.type_name.empty()) {
    report(node, name + "has no 'type'; types: " + listed(column_type_names()));
  } else if (column.type == ColumnType::unknown) {
    report(node,
           name + "has the type '" + column.type_name +
               "', which is preserved but not written; types: " + listed(column_type_names()),
           Severity::warning);
  }
  bool chooses = column.type == ColumnType::select || column.type == ColumnType::multi_select;
  if (chooses && column.options.empty()) report(node, name + "has no 'options'");
  if (column.type == ColumnType::relation && column.target.empty()) {
    report(node, name + "has no 'target', the id of a database");
  }
  const bool is_formula = column.type == ColumnType::formula;
  if (is_formula && column.expression.empty()) {
    report(node, name + "has no 'expression', which its values are computed by");
  }
  if (const Node* given = node.find("expression"); given != nullptr && !is_formula) {
    report(*given, "'expression' belongs to a formula");
  }
}

void SchemaReader::read_views(const Node& views) {
  if (!views.is_list()) {
    if (!views.is_null()) report(views, "'views' is a list");
    return;
  }
  for (const Node& node : views.items) {
    check_keys(node, schema_keys::of_view());
    View view;
    view.id = text(node, "id");
    view.name = text(node, "name");
    if (view.id.empty()) view.id = view.name;
    if (view.name.empty()) view.name = view.id;
    if (view.id.empty()) {
      report(node, "a view has an 'id'; this one is left out");
      continue;
    }
    if (schema_.find_view(view.id) != nullptr) {
      report(node, "duplicate view '" + view.id + "'; the first one counts");
      continue;
    }
    view.type = text(node, "type");
    if (view.type.empty()) view.type = "table";
    view.columns = texts(node, "columns");
    view.group_by = text(node, "group_by");
    view.date_column = text(node, "date_column");
    if (const Node* filters = node.find("filters")) view.filters = read_untyped(*filters);
    view.sorts = sorts_of(node, text(node, "sort_by"), flag(node, "sort_desc"));
    schema_.views.push_back(std::move(view));
  }
}

void SchemaReader::read_templates(const Node& templates) {
  if (!templates.is_map()) {
    if (!templates.is_null()) report(templates, "'templates' is a map of a key to each template");
    return;
  }
  for (const NodeMember& member : templates.members) {
    check_keys(member.value, schema_keys::of_template());
    Template made;
    made.key = member.key;
    made.name = text(member.value, "name");
    if (made.name.empty()) made.name = made.key;
    made.title = text(member.value, "title");
    made.body = text(member.value, "body");
    const Node* fields = member.value.find("fields");
    for (const NodeMember& field :
         fields != nullptr ? fields->members : std::vector<NodeMember>{}) {
      if (holds_unread(field.value)) {
        report(field.value, "put quotes around a value that begins with '{{'");
        continue;
      }
      const Column* column = schema_.find(field.key);
      Value value =
          column != nullptr ? read_as(*column, field.value).value : read_untyped(field.value);
      made.fields.push_back({field.key, std::move(value)});
    }
    schema_.templates.push_back(std::move(made));
  }
}

void SchemaReader::read_row_id(const Node& node) {
  check_keys(node, schema_keys::of_row_id());
  bool short_form = node.is_scalar() && !node.is_null();
  std::string style = short_form ? node.text : text(node, "style");
  if (auto known = parse_row_id_style(style)) {
    schema_.row_id.style = *known;
  } else if (!style.empty()) {
    report(node,
           "'" + style + "' is not a style of row_id; styles: counter, slug, ulid, short, date");
  }
  if (node.find("prefix") != nullptr) schema_.row_id.prefix = text(node, "prefix");
  schema_.row_id.from = text(node, "from");
  if (const std::string format = text(node, "format"); !format.empty()) {
    if (const auto problem = problem_of_date_format(format)) {
      report(*node.find("format"), "the format '" + format + "': " + *problem);
    } else if (schema_.row_id.style != RowIdStyle::date) {
      report(*node.find("format"), "'format' belongs to the style date");
    } else {
      schema_.row_id.format = format;
    }
  }
  if (const Node* digits = node.find("digits")) {
    Value count = read_untyped(*digits);
    if (count.is_integer() && count.integer() >= 1 && count.integer() <= 18) {
      schema_.row_id.digits = static_cast<int>(count.integer());
    } else {
      report(*digits, "digits is a whole number from 1 to 18");
    }
  }
}

void SchemaReader::read_rows(const Node& node) {
  check_keys(node, schema_keys::of_rows());
  schema_.rows.include = texts(node, "include");
  schema_.rows.exclude = texts(node, "exclude");
  std::string layout = text(node, "layout");
  if (const auto known = parse_row_layout(layout)) {
    schema_.rows.layout = *known;
  } else if (!layout.empty()) {
    report(node, "'" + layout + "' is not a layout of rows; layouts: file, folder, mixed");
  }
  const std::string folder_note = text(node, "folder_note");
  if (folder_note == "name") schema_.rows.folder_note = FolderNote::name;
  if (!folder_note.empty() && folder_note != "name" && folder_note != "index") {
    report(node, "'" + folder_note + "' is not a folder_note; choices: index, name");
  } else if (!folder_note.empty() && schema_.rows.layout == RowLayout::file) {
    report(node, "'folder_note' belongs to the layouts folder and mixed");
  }
}

void SchemaReader::check_keys(const Node& map, const schema_keys::Names& known) {
  for (const NodeMember& member : map.members) {
    if (std::ranges::find(known, member.key) != known.end()) continue;
    const auto meant = nearest_name(member.key, known);
    if (!meant || map.find(*meant) != nullptr) continue;
    report(member.value,
           "the key '" + member.key + "' has no meaning here; did you mean '" + *meant + "'?",
           Severity::warning);
  }
}

std::string SchemaReader::text(const Node& map, std::string_view key) {
  const Node* node = map.find(key);
  if (node == nullptr) return "";
  if (!node->is_scalar()) report(*node, "'" + std::string(key) + "' is a text");
  return spelled(*node);
}

std::vector<std::string> SchemaReader::texts(const Node& map, std::string_view key) {
  const Node* node = map.find(key);
  if (node == nullptr || node->is_null()) return {};
  if (node->is_scalar()) return {node->text};
  std::vector<std::string> texts;
  for (const Node& item : node->items)
    texts.push_back(spelled(item));
  return texts;
}

bool SchemaReader::flag(const Node& map, std::string_view key) {
  const Node* node = map.find(key);
  if (node == nullptr || node->is_null()) return false;
  Value value = read_untyped(*node);
  if (value.is_boolean()) return value.boolean();
  report(*node, "'" + std::string(key) + "' is true or false");
  return false;
}

std::optional<Value> SchemaReader::typed(const Column& column,
                                         const Node& map,
                                         std::string_view key) {
  const Node* node = map.find(key);
  if (node == nullptr || node->is_null()) return std::nullopt;
  Reading reading = read_as(column, *node);
  if (!reading.fits()) report(*node, "'" + std::string(key) + "': " + reading.problem);
  return std::move(reading.value);
}

void SchemaReader::report(const Node& place, std::string message, Severity severity) {
  Issue issue;
  issue.line = place.line;
  issue.column = place.column;
  issue.severity = severity;
  issue.rule = "schema";
  issue.message = std::move(message);
  issues_.push_back(std::move(issue));
}

// A note that a merge left undecided is read as ours has it, so that its rows stay readable. Null
// where nothing is undecided: the note itself is to be read.
Result<std::unique_ptr<Note>> our_side(const Note& note) {
  bool in_conflict = std::ranges::any_of(note.fields(), &NoteField::in_conflict);
  if (!in_conflict) return std::unique_ptr<Note>();
  Result<Note> ours = Note::parse(take_side(note.bytes(), ConflictSide::ours), note.format());
  if (!ours) return std::move(ours).error();
  return std::make_unique<Note>(*std::move(ours));
}

}  // namespace

Result<SchemaDocument> parse_schema(std::string bytes, NoteFormat format) {
  Result<Note> note = Note::parse(std::move(bytes), format);
  if (!note) return std::move(note).error();
  Result<std::unique_ptr<Note>> ours = our_side(*note);
  if (!ours) return std::move(ours).error();
  const Note& resolved = *ours ? **ours : *note;
  const NoteField* columns = resolved.find_field("columns");
  if (columns == nullptr || !columns->readable || !columns->node.is_list()) {
    std::string where = columns == nullptr ? "" : "line " + std::to_string(columns->line) + ": ";
    return Error{ErrorCode::malformed_file,
                 where + "a schema has a list 'columns'; each column has an id and a type"};
  }
  SchemaReader reader;
  Schema schema = reader.read(resolved);
  std::vector<Issue> issues = note->issues();
  std::ranges::move(reader.issues(), std::back_inserter(issues));
  std::ranges::stable_sort(issues, {}, &Issue::line);
  return SchemaDocument{std::move(*note), std::move(schema), std::move(issues)};
}

Result<std::string> with_counter(const SchemaDocument& document, std::int64_t next) {
  Note note = document.note;
  Column number;
  number.type = ColumnType::number;
  Result<Edit> edit = note.set("next_row_id", next, {&number, {}});
  if (!edit) return std::move(edit).error();
  return note.bytes();
}

Result<std::string> with_next_row_id(const SchemaDocument& document, std::int64_t next) {
  const bool has_counter = document.note.find_field("next_row_id") != nullptr;
  return has_counter ? with_counter(document, next) : document.note.bytes();
}

namespace {

void add_text(Map& map, std::string_view key, const std::string& text) {
  if (!text.empty()) map.push_back({std::string(key), text});
}

void add_texts(Map& map, std::string_view key, const std::vector<std::string>& texts) {
  if (!texts.empty()) map.push_back({std::string(key), Value::list_of(texts)});
}

void add_flag(Map& map, std::string_view key, bool flag) {
  if (flag) map.push_back({std::string(key), true});
}

void add_value(Map& map, std::string_view key, const Value& value) {
  if (!value.is_null()) map.push_back({std::string(key), value});
}

Map to_map(const View& view) {
  Map map{{"id", view.id}};
  if (view.name != view.id) add_text(map, "name", view.name);
  add_text(map, "type", view.type);
  add_texts(map, "columns", view.columns);
  add_text(map, "group_by", view.group_by);
  add_text(map, "date_column", view.date_column);
  add_value(map, "filters", view.filters);
  add_value(map, "sorts", view.sorts);
  return map;
}

Map to_map(const Template& made) {
  Map map;
  if (made.name != made.key) add_text(map, "name", made.name);
  add_text(map, "title", made.title);
  if (!made.fields.empty()) map.push_back({"fields", made.fields});
  add_text(map, "body", made.body);
  return map;
}

Map to_map(const RowIdRule& rule) {
  const RowIdRule usual;
  Map map;
  if (rule.style != usual.style) map.push_back({"style", std::string(name_of(rule.style))});
  if (rule.prefix != usual.prefix) map.push_back({"prefix", rule.prefix});
  if (rule.digits != usual.digits) map.push_back({"digits", rule.digits});
  add_text(map, "from", rule.from);
  if (rule.format != usual.format) map.push_back({"format", rule.format});
  return map;
}

Map to_map(const RowFiles& rows) {
  Map map;
  add_texts(map, "include", rows.include);
  add_texts(map, "exclude", rows.exclude);
  if (rows.layout != RowLayout::file) add_text(map, "layout", std::string(name_of(rows.layout)));
  if (rows.folder_note == FolderNote::name) map.push_back({"folder_note", "name"});
  return map;
}

}  // namespace

Map to_map(const Column& column) {
  Map map{{"id", column.id}};
  if (column.name != column.id) add_text(map, "name", column.name);
  bool named = !column.type_name.empty();
  map.push_back({"type", named ? column.type_name : std::string(name_of(column.type))});
  add_text(map, "description", column.description);
  add_texts(map, "options", column.options);
  add_text(map, "target", column.target);
  add_flag(map, "multiple", column.multiple);
  if (column.on_delete != OnDelete::keep)
    add_text(map, "on_delete", std::string(name_of(column.on_delete)));
  add_flag(map, "required", column.required);
  add_flag(map, "unique", column.unique);
  add_value(map, "default", column.default_value.value_or(nullptr));
  add_value(map, "min", column.min.value_or(nullptr));
  add_value(map, "max", column.max.value_or(nullptr));
  add_text(map, "auto", std::string(name_of(column.auto_date)));
  if (column.formats.size() == 1) add_text(map, "format", column.formats.front());
  if (column.formats.size() > 1) add_texts(map, "format", column.formats);
  add_text(map, "locale", column.locale);
  if (column.decimals) map.push_back({"decimals", std::int64_t{*column.decimals}});
  add_text(map, "decimal", column.number_format.decimal);
  add_text(map, "thousands", column.number_format.thousands);
  add_text(map, "prefix", column.number_format.prefix);
  add_text(map, "suffix", column.number_format.suffix);
  add_text(map, "pattern", column.pattern);
  add_text(map, "merge", column.merge);
  if (column.rollup) {
    add_text(map, "relation", column.rollup->relation);
    add_text(map, "from", column.rollup->from);
    add_text(map, "field", column.rollup->field);
    add_text(map, "function", column.rollup->function);
  }
  add_text(map, "expression", column.expression);
  return map;
}

Map to_map(const Schema& schema) {
  Map map{{"name", schema.name}};
  add_text(map, "description", schema.description);
  List columns;
  for (const Column& column : schema.columns)
    columns.push_back(to_map(column));
  map.push_back({"columns", std::move(columns)});
  List views;
  for (const View& view : schema.views)
    views.push_back(to_map(view));
  if (!views.empty()) map.push_back({"views", std::move(views)});
  Map templates;
  for (const Template& made : schema.templates)
    templates.push_back({made.key, to_map(made)});
  if (!templates.empty()) map.push_back({"templates", std::move(templates)});
  if (Map rule = to_map(schema.row_id); !rule.empty()) map.push_back({"row_id", std::move(rule)});
  if (Map rows = to_map(schema.rows); !rows.empty()) map.push_back({"rows", std::move(rows)});
  if (schema.next_row_id) map.push_back({"next_row_id", *schema.next_row_id});
  return map;
}

Result<std::string> write_schema(const Schema& schema, std::string_view body, NoteFormat format) {
  bool yaml = format == NoteFormat::yaml;
  Result<Note> note = Note::parse(yaml ? "" : "---\n---\n", format);
  if (!note) return std::move(note).error();
  for (const Member& member : to_map(schema)) {
    Result<Edit> edit = note->set(member.key, member.value);
    if (!edit) return std::move(edit).error();
  }
  if (!body.empty()) {
    Result<Edit> edit = note->set_body(body);
    if (!edit) return std::move(edit).error();
  }
  return note->bytes();
}

}  // namespace notesdb
