// Parsing: the words of a command line, sorted into flags and positionals by what a command says
// of itself. Values stay text; their meaning is for the operation to judge.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "core/result.h"

namespace notesdb::cli {

// Where the command stands among the words: the first that is neither a flag nor a flag's value.
// Empty if there is none.
std::optional<std::size_t> find_command_word(const std::vector<std::string>& words);

// `words` without the command itself. Fails with invalid_argument, naming what is unknown (and the
// nearest flag), missing or too much.
Result<Words> parse_words(const Command& command, const std::vector<std::string>& words);
// Only the flags that every command has; for errors before a command is known.
bool asks_for_json(const std::vector<std::string>& words);

}  // namespace notesdb::cli
