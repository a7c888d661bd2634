// Arguments: what one call brought, decoded and checked against the operation's list.
//
// Callers are forgiven what loses nothing: "10" for 10, JSON text for a list or a map (strict,
// decoded once), one thing where a list is expected, null and space for absent. Everything else is
// refused by name, all of it at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/value.h"

namespace notesdb {

// Argument: one argument of an operation, told once for every interface.
//
// From it follow the JSON Schema that tools show, the positionals and flags of the command line,
// the help and the docs. The kind says what may stand there and how each interface spells it; a interface
// knows kinds, never an operation by name.

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
  bool is_listed = true;  // whether the list of tools has the description, which hosts pay for
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

class Arguments {
 public:
  // The values that are there, in the shapes of the operation's list; fallbacks filled in.
  explicit Arguments(Map values) : values_(std::move(values)) {}

  // The value, or a null pointer where the argument is absent.
  const Value* find(std::string_view name) const { return find_member(values_, name); }
  // A null value where it is absent.
  const Value& value(std::string_view name) const;

  // Empty where absent.
  std::string text(std::string_view name) const;
  std::optional<std::string> optional_text(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name) const;
  // False where absent.
  bool is_set(std::string_view name) const;
  std::vector<std::string> names(std::string_view name) const;

 private:
  Map values_;
};

// What could be decoded, and everything that could not: unknown, missing, of the wrong kind, out of
// range; each an invalid_argument.
struct Decoding {
  Arguments arguments;
  std::vector<Error> errors;
};
Decoding decode_arguments(const std::vector<Argument>& known, const Value& given, Door door);

}  // namespace notesdb
