// Schema edit: single things of a schema file changed in their place.
//
//   SchemaEdit edit(document);
//   edit.set_column("estimate", {{"id", "points"}});
//   edit.rename_fields({.of_view = new_name});
//   auto bytes = edit.bytes();
//
// Columns, the names that views, sorts, groups, templates and rollups use, and options. Whatever
// is not named stays byte for byte, comments too: a renamed column is a diff of one line. Which
// names lead to a column is for the caller to say, who knows the other databases.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/schema.h"
#include "core/value.h"
#include "note/links.h"
#include "note/note.h"
#include "schema/document.h"

namespace notesdb {

// New names for fields: the same name where it stays, nothing where the field has gone.
struct FieldNames {
  using NewName = std::function<std::optional<std::string>(const std::string& name)>;
  NewName of_view = {};  // as a view names it, dots included
  // A rollup's `field`.
  std::function<std::optional<std::string>(const Rollup& rollup)> of_rollup = {};
  NewName of_from = {};         // a rollup's `from`
  NewName of_expression = {};   // a formula's expression, with the names in it
  std::string column = {};      // of this schema: in templates, row_id and rollups;
  std::string new_column = {};  // empty: it has gone
};

// An option with another spelling, or none.
struct NewOption {
  std::string column = {};                                     // of this schema; empty: none
  std::function<bool(const std::string& name)> is_about = {};  // whether a view's field leads to it
  std::string option = {};
  std::optional<std::string> replacement = {};
};

class SchemaEdit {
 public:
  explicit SchemaEdit(const SchemaDocument& document) : note_(document.note) {}

  // Sets keys of the schema itself; null removes one.
  void set_keys(const Map& keys);
  // `place` is that of the column that it comes before; past the end: last.
  void add_column(const Map& column, std::size_t place);
  // Sets keys of a column; null removes one.
  void set_column(std::string_view id, const Map& keys);
  void drop_column(std::string_view id);
  void move_column(std::string_view id, std::size_t place);
  // The value of a column's key, as the file has it; null where it has none.
  Value column_key(std::string_view id, std::string_view key) const;

  // Adds a view after the others, sets keys of one (null removes), or drops it.
  void add_view(const Map& view);
  void set_view(std::string_view id, const Map& keys);
  void drop_view(std::string_view id);

  void rename_fields(const FieldNames& names);
  // Views, templates and the column's default; its list of options is set_column's.
  void replace_option(const NewOption& option);

  // The whole file. Fails as Note::set does.
  Result<std::string> bytes() const;
  // What went without a replacement, a sentence each: "view 'open' no longer filters by 'status'".
  const std::vector<std::string>& losses() const { return losses_; }

 private:
  Value value_of(std::string_view key) const;
  void store(std::string_view key, const Value& value);
  void rename_in_view(const FieldNames& names, Value& view);
  void rename_in_sorts(const FieldNames& names, const std::string& view, Value& sorts);
  void rename_in_filters(const FieldNames& names, const std::string& view, List& filters);
  void rename_in_templates(const FieldNames& names);
  void rename_in_computed(const FieldNames& names);
  void lose(const std::string& view, std::string_view what, const std::string& field);

  Note note_;
  std::optional<Error> failure_;
  std::vector<std::string> losses_;
};

// References to one row, made to name the row by its new id. Links in the file, and the rows that relations name by their ids in defaults, templates and
// filters of views. Fails as Note::set does, and then the note is as it was.
Result<Edit> relink_schema(const Schema& schema, const Relink& how, Note& note);

}  // namespace notesdb
