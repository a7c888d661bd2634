#include "operations/catalog.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

namespace notesdb {

// Each is defined in the file of its name. They are functions, so that nothing is built before the
// program asks for it.
const Operation& db_list();
const Operation& db_get_schema();
const Operation& db_query();
const Operation& db_get_row();
const Operation& db_aggregate();
const Operation& db_search();
const Operation& db_sql();
const Operation& db_insert_row();
const Operation& db_update_row();
const Operation& db_delete_row();
const Operation& db_create();
const Operation& db_alter();
const Operation& db_batch();
const Operation& db_undo();
const Operation& db_resolve();
const Operation& db_history();
const Operation& db_check();
const Operation& db_fix();
const Operation& db_infer();
const Operation& db_import();
const Operation& db_conflicts();
const Operation& db_log();
const Operation& db_diff();
const Operation& db_restore();
const Operation& db_sync();
const Operation& rename_row();
const Operation& git_command();
const Operation& redo_of_change();
const Operation& doctor_of_workspace();
const Operation& view_of_database();
const Operation& base_of_workspace();

namespace {

enum class Does { read, write };

// This much stands here too, so that a command finds its operation without building all others.
struct Line {
  std::string_view name;
  std::string_view command;
  Does does;
  const Operation& (*operation)();
};

constexpr std::array<Line, 17> tools{{
    {"db_list", "list", Does::read, db_list},
    {"db_get_schema", "schema", Does::read, db_get_schema},
    {"db_query", "query", Does::read, db_query},
    {"db_get_row", "get", Does::read, db_get_row},
    {"db_aggregate", "aggregate", Does::read, db_aggregate},
    {"db_search", "search", Does::read, db_search},
    {"db_insert_row", "insert", Does::write, db_insert_row},
    {"db_update_row", "update", Does::write, db_update_row},
    {"db_delete_row", "delete", Does::write, db_delete_row},
    {"db_create", "create", Does::write, db_create},
    {"db_alter", "alter", Does::write, db_alter},
    {"db_batch", "batch", Does::write, db_batch},
    {"db_undo", "undo", Does::write, db_undo},
    {"db_history", "history", Does::read, db_history},
    {"db_check", "", Does::read, db_check},  // its command has more flags (cli/)
    {"db_resolve", "resolve", Does::write, db_resolve},
    {"db_sql", "sql", Does::read, db_sql},
}};

// Their commands have more flags (cli/).
constexpr std::array<Line, 3> unlisted{{
    {"db_fix", "", Does::write, db_fix},
    {"db_infer", "", Does::write, db_infer},
    {"db_import", "", Does::write, db_import},
}};

constexpr std::array<Line, 11> commands{{
    {"db_conflicts", "conflicts", Does::read, db_conflicts},
    {"db_log", "log", Does::read, db_log},
    {"db_diff", "diff", Does::read, db_diff},
    {"db_restore", "restore", Does::write, db_restore},
    {"db_sync", "sync", Does::write, db_sync},
    {"rename", "rename", Does::write, rename_row},
    {"git", "git", Does::write, git_command},
    {"redo", "redo", Does::write, redo_of_change},
    {"doctor", "doctor", Does::read, doctor_of_workspace},
    {"view", "view", Does::read, view_of_database},
    {"base", "base", Does::read, base_of_workspace},
}};

std::vector<const Operation*> operations_of(std::span<const Line> lines) {
  std::vector<const Operation*> operations;
  operations.reserve(lines.size());
  for (const Line& line : lines)
    operations.push_back(&line.operation());
  return operations;
}

const Operation* find_in(std::span<const Line> lines,
                         std::string_view Line::*name,
                         std::string_view wanted) {
  const auto found = std::ranges::find(lines, wanted, name);
  return found == lines.end() ? nullptr : &found->operation();
}

}  // namespace

const std::vector<const Operation*>& catalog() {
  static const std::vector<const Operation*> operations = operations_of(tools);
  return operations;
}

const std::vector<const Operation*>& command_catalog() {
  static const std::vector<const Operation*> operations = operations_of(commands);
  return operations;
}

const std::vector<const Operation*>& unlisted_catalog() {
  static const std::vector<const Operation*> operations = operations_of(unlisted);
  return operations;
}

const Operation* find_operation(std::string_view name) {
  const Operation* tool = find_in(tools, &Line::name, name);
  return tool != nullptr ? tool : find_in(unlisted, &Line::name, name);
}

std::vector<const Operation*> tools_on_request() {
  std::vector<const Operation*> operations = unlisted_catalog();
  std::ranges::copy_if(
      command_catalog(), std::back_inserter(operations), [](const Operation* operation) {
        return operation->name.starts_with("db_");
      });
  return operations;
}

const Operation* find_command(std::string_view command) {
  const Operation* tool = find_in(tools, &Line::command, command);
  return tool != nullptr ? tool : find_in(commands, &Line::command, command);
}

bool is_reading_command(std::string_view command) {
  const auto reads = [&](const Line& line) {
    return line.command == command && line.does == Does::read;
  };
  return std::ranges::any_of(tools, reads) || std::ranges::any_of(commands, reads);
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
