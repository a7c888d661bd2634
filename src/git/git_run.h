// Git run: the one place that starts git.
//
//   Result<ProgramEnd> end = run_git({.folder = root, .words = {"status", "--porcelain"}});
//
// A workspace is trusted to hold data, never to choose a program. git however runs what the
// configuration of a repository names (filters, hooks, an ssh command, a pager), and a folder that
// was unpacked or copied brings its own. So a run that looks at a repository starts nothing but git
// and reaches no network, whatever is configured; a run that changes something or reaches a network
// has the user's own programs (the global and the system configuration), and what the repository
// itself names has been refused before (folder_programs.h). A repository without a `.git`, such as
// a folder of a clone that is made like one, is none.
//
// Every run has a limit of time and of output.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "git/program.h"

namespace notesdb {

using Words = std::vector<std::string>;

enum class GitUse {
  look,     // reads: no other program, no network, no lock
  change,   // writes to the index, the work tree or the refs
  network,  // and may reach the remote, which takes its time
};

// Whether paths given to git are names, or may be patterns and exclude others.
enum class Pathspecs { literal, magic };

struct GitRun {
  std::string folder;
  Words words;
  std::string input = {};
  Words environment = {};  // NAME=value, over all others
  SignalsOf signals = SignalsOf::its_own;
  GitUse use = GitUse::look;
  Pathspecs pathspecs = Pathspecs::literal;
  // Keys of git's configuration that have another value in this run.
  std::vector<std::pair<std::string, std::string>> config = {};
  bool is_trusted = false;  // the user lets this repository name programs
};

Result<ProgramEnd> run_git(const GitRun& run);

// How git is to start the merge driver of rows: this very program.
std::string merge_driver_command();

// A text as one word of a shell.
std::string quoted_for_shell(const std::string& text);

// The path of this program.
std::string own_program();

}  // namespace notesdb
