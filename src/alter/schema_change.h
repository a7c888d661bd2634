// Schema change: one thing that must be otherwise about a database, as a caller gives it.
//
//   {action: rename_column, column: estimate, to: points}
//   {action: change_type, column: due, type: date}
//   {action: add_column, column: owner, type: relation, target: people, after: title, fill: ann}
//   {action: remove_option, column: status, option: dropped, to: done}
//   {action: add_view, view: mine, type: board, group_by: status, sorts: -due}
//
// Here are the words; what a change means for schemas and rows is in schema_set.h and
// row_deeds.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/value.h"

namespace notesdb {

enum class SchemaAction {
  add_column,
  rename_column,
  drop_column,
  change_type,
  set_column,
  move_column,
  add_option,
  rename_option,
  remove_option,
  add_view,
  set_view,
  drop_view,
  describe
};

constexpr bool is_about_view(SchemaAction action) {
  return action == SchemaAction::add_view || action == SchemaAction::set_view ||
         action == SchemaAction::drop_view;
}

std::string_view name_of(SchemaAction action);
// The parts that an action takes beside `action`, in the order in which a person says them.
std::vector<std::string> parts_of(SchemaAction action);

struct SchemaChange {
  SchemaAction action = SchemaAction::add_column;
  std::string column = {};
  std::string to = {};  // the new id or option; of remove_option: which takes its place
  std::string option = {};
  std::string view = {};
  // Where a column or option should stand: after this one, or before that one.
  std::optional<std::string> after = {};
  std::optional<std::string> before = {};
  // Keys of a schema file: of the column, the view, or the schema for describe. Null removes one.
  Map keys = {};
  std::optional<Value> fill = {};  // for rows that have no value
  bool keep_values = false;        // of drop_column: rows keep the field
};

// Fails with invalid_argument, naming all that is wrong in any of them.
Result<std::vector<SchemaChange>> parse_schema_changes(const List& given);

// The same as a person types it: the action, what it cannot do without, and the rest as
// `part=value`; quotes around what holds spaces.
//
//   rename_column estimate points
//   add_column owner relation target=people after=title
//   rename_option status "in work" doing
//
// A map for parse_schema_changes, which says what is wrong with it. Fails with invalid_argument for
// words that are too many, or quotes that are not closed.
Result<Value> parse_change_words(std::string_view text);

}  // namespace notesdb
