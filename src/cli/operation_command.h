// Operation command: an operation of the catalog as a command.
//
// How an argument is spelled follows from its kind alone:
//
//   database, row     DB ROW                      filters   --where 'a = b' ... or --filters JSON
//   text, integer     --view NAME --limit 10      sorts     --sort due:desc ... or JSON
//   body              --body TEXT, --body-file F  fields    --set k=v --unset k --fields JSON
//   names             --select a,b                columns   --column id:type[:a,b] --columns JSON
#pragma once

#include "cli/command.h"
#include "core/result.h"
#include "operations/operation.h"

namespace notesdb::cli {

Command command_of(const Operation& operation);

// The arguments as a tool would get them, unjudged. The schema decides which texts of `--set` are
// lists; a null pointer leaves all of them texts.
Result<Value> arguments_of(const Operation& operation, const Words& words, const Schema* schema);

}  // namespace notesdb::cli
