// Catalog: all operations, in the order in which tools are listed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operations/operation.h"

namespace notesdb {

const std::vector<const Operation*>& catalog();
// Operations that are commands and no tools: what concerns a whole clone, or its history.
const std::vector<const Operation*>& command_catalog();

// Tools of /call and `notesdb call` that hosts of MCP are not told of: what the page does beside
// rows, and an agent seldom.
const std::vector<const Operation*>& unlisted_catalog();

// What a server offers only where its --tools names it: the unlisted ones, and commands that an
// agent may want, such as db_sync.
std::vector<const Operation*> tools_on_request();

// By the name of the tool, listed or not, or of the command; a null pointer if there is none.
const Operation* find_operation(std::string_view name);
const Operation* find_command(std::string_view command);
// Whether a command is an operation that only reads, told without building it.
bool is_reading_command(std::string_view command);

// What a workspace offers: all of them, or without the writers where it is read-only.
std::vector<const Operation*> offered_operations(bool read_only);
std::vector<std::string> names_of(const std::vector<const Operation*>& operations);

}  // namespace notesdb
