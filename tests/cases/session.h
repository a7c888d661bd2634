// Session: what a person types and what the program says, as a folder below fixtures/cases; for the
// commands that no tool stands after (check, infer, import, export).
//
//   before/       the workspace at the start, where the commands run
//   session.txt   the commands and what they say
//   after/        the workspace at the end (absent: nothing may have changed)
//
//   $ check --fix
//   t/b.md:2: title: Dune: Messiah  ->  title: "Dune: Messiah"  [yaml]
//   ! no issues in 1 database; 1 field in 1 file fixed; notesdb undo ... takes it back
//   [0]
//
// A line after `$ ` is a command, without the program's name. What follows is what it says: a line
// of standard output as it is, of standard error after `! `, and its exit code unless that is 0.
// `...` in an expected line stands for any text within it. A line that begins with `#` and the
// blank lines around commands are for the reader.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace notesdb::cases {

struct SessionStep {
  std::string command;
  std::vector<std::string> said;
};

// Every folder with a session.txt below `root`, in the order of their names.
std::vector<std::filesystem::path> find_sessions(const std::filesystem::path& root);

std::vector<SessionStep> read_session(const std::filesystem::path& file);

// Runs all of it in a copy of `before/`. What is wrong, in lines; empty if nothing.
std::string run_session(const std::filesystem::path& folder);

}  // namespace notesdb::cases
