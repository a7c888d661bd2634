#include "operations/catalog.h"

#include <algorithm>

namespace notesdb {

// Each is defined in the file of its name. They are functions, so that nothing is built before the
// program asks for it.
const Operation& db_list();
const Operation& db_get_schema();
const Operation& db_query();
const Operation& db_get_row();
const Operation& db_aggregate();
const Operation& db_search();
const Operation& db_insert_row();
const Operation& db_update_row();
const Operation& db_delete_row();
const Operation& db_create();
const Operation& db_alter();
const Operation& db_batch();
const Operation& db_undo();
const Operation& db_resolve();
const Operation& db_conflicts();
const Operation& db_log();
const Operation& db_diff();
const Operation& db_restore();
const Operation& db_sync();
const Operation& rename_row();
const Operation& git_command();
const Operation& history_of_row();
const Operation& doctor_of_workspace();

const std::vector<const Operation*>& catalog() {
  static const std::vector<const Operation*> operations{
      &db_list(),
      &db_get_schema(),
      &db_query(),
      &db_get_row(),
      &db_aggregate(),
      &db_search(),
      &db_insert_row(),
      &db_update_row(),
      &db_delete_row(),
      &db_create(),
      &db_alter(),
      &db_batch(),
      &db_undo(),
      &db_resolve(),
  };
  return operations;
}

const std::vector<const Operation*>& command_catalog() {
  static const std::vector<const Operation*> operations{
      &db_conflicts(),
      &db_log(),
      &db_diff(),
      &db_restore(),
      &db_sync(),
      &rename_row(),
      &git_command(),
      &history_of_row(),
      &doctor_of_workspace(),
  };
  return operations;
}

namespace {

const Operation* find_in(const std::vector<const Operation*>& operations,
                         std::string Operation::*name,
                         std::string_view wanted) {
  auto found = std::ranges::find_if(
      operations, [&](const Operation* operation) { return operation->*name == wanted; });
  return found == operations.end() ? nullptr : *found;
}

}  // namespace

const Operation* find_operation(std::string_view name) {
  return find_in(catalog(), &Operation::name, name);
}

const Operation* find_command(std::string_view command) {
  const Operation* tool = find_in(catalog(), &Operation::command, command);
  return tool != nullptr ? tool : find_in(command_catalog(), &Operation::command, command);
}

std::vector<const Operation*> offered_operations(bool read_only) {
  std::vector<const Operation*> offered;
  for (const Operation* operation : catalog())
    if (!read_only || !writes(operation->effect)) offered.push_back(operation);
  return offered;
}

std::vector<std::string> names_of(const std::vector<const Operation*>& operations) {
  std::vector<std::string> names;
  names.reserve(operations.size());
  for (const Operation* operation : operations)
    names.push_back(operation->name);
  return names;
}

}  // namespace notesdb
