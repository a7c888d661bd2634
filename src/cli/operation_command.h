// Operation command: an operation of the catalog as a command.
//
// How an argument is spelled follows from its kind alone:
//
//   database, row     DB ROW                      filters   --where 'a = b' ... or --filters JSON
//   text, integer     --view NAME --limit 10      sorts     --sort due:desc ... or JSON
//   body              --body TEXT, --body-file F  fields    --set k=v --unset k --fields JSON
//   names             --select a,b                columns   --column id:type[:a,b] --columns JSON
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "core/result.h"
#include "core/schema.h"
#include "core/value.h"
#include "operations/operation.h"

namespace notesdb::cli {

Command command_of(const Operation& operation);

// The arguments as a tool would get them, unjudged. The schema decides which texts of `--set` are
// lists; a null pointer leaves all of them texts.
Result<Value> arguments_of(const Operation& operation, const Words& words, const Schema* schema);

// Flag syntax: how the command line writes what tools write as JSON.
//
// Each function reads the words of one kind of argument and gives the value that a tool would get.

// The flags of an argument, in the order of the help.
std::vector<Flag> flags_of(const Argument& argument, Effect effect);

// "status:select:open,done" -> {id, type, options}; "who:relation:people" -> {id, type, target}.
Value parse_column_word(const std::string& word);

// What --separator of commands that read and write CSV says: a comma where none is given; `tab` and
// `\t` are a tab. What check_separator refused is a comma.
char separator_of(const Words& words);

// Fails with invalid_argument unless it is one ASCII character that no cell needs for itself.
Result<void> check_separator(const Words& words);

}  // namespace notesdb::cli
