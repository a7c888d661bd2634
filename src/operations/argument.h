// Argument: one argument of an operation, told once for every interface.
//
// From it follow the JSON Schema that tools show, the positionals and flags of the command line,
// the help and the docs. The kind says what may stand there and how each interface spells it; a interface
// knows kinds, never an operation by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

namespace notesdb {

enum class ArgumentKind {
  database,  // the id of a database; dispatch finds it before anything else is judged
  row,       // the id of a row
  text,      // space is absent
  body,      // text that may be empty, and that a command may read from a file
  integer,   // a whole number from `least` on
  boolean,   //
  choice,    // one of `choices`
  names,     // a list of texts
  filters,   // a filter list (query/filter.h)
  sorts,     // a list of {field, direction}
  fields,    // column id -> value
  columns,   // a list of column definitions
  metrics,   // a list of {function, field, as}
  changes,   // a list of changes of a schema (alter/schema_change.h)
  records,   // a list of maps that the operation reads itself
  settings,  // one map that the operation reads itself
};

// Which callers something holds for.
enum class Doors { none, tools, commands, all };

enum class Door { tools, commands };

constexpr bool holds_for(Doors doors, Door door) {
  return doors == Doors::all || doors == (door == Door::tools ? Doors::tools : Doors::commands);
}

struct Argument {
  std::string name = {};
  ArgumentKind kind = ArgumentKind::text;
  std::string description = {};
  Doors offered = Doors::all;
  Doors required = Doors::none;
  Value fallback = {};             // what an absent argument means; null: nothing
  Doors fallback_at = Doors::all;  // a command lists everything where a tool pages
  std::vector<std::string> choices = {};
  std::int64_t least = 0;
  bool positional = false;     // on the command line it stands without a flag
  std::string flag = {};       // the flag, where it is not the name with hyphens
  std::string flag_help = {};  // what the help of a command says, where it is not the description
  std::string metavar = {};    // what the help calls its value, where the kind does not say
  bool outlined = false;  // its schema says list or map, and leaves the shape to another tool's
  std::string if_missing = {};       // what a caller without it should do
  std::vector<Argument> parts = {};  // of records: what each may hold

  // The flag of the command line without its dashes: "include-body".
  std::string flag_name() const;
  // What the help of a command says of it.
  const std::string& flag_description() const {
    return flag_help.empty() ? description : flag_help;
  }
  // What the help calls its value: DB, ROW, N, VIEW, JSON.
  std::string value_name() const;
};

// The shape of a decoded argument.
enum class Shape { text, integer, boolean, list, map };
Shape shape_of(ArgumentKind kind);

// Whether tools may send it as JSON text too.
constexpr bool is_structured(Shape shape) {
  return shape == Shape::list || shape == Shape::map;
}

}  // namespace notesdb
