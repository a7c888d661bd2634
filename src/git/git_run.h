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

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"

namespace notesdb {

// A program run to its end, its input given and its output kept.
//
//   Result<ProgramEnd> end = run_program({.words = {"git", "-C", folder, "status"}});
//
// It is found in the absolute folders of the PATH. Exit codes are the caller's to judge; a program
// that cannot be started is an error (io_error), and so is one that takes longer or prints more
// than it may (limit_exceeded): it is ended then, with what it started. What it reads and what it
// prints are files in memory, not pipes: a program that outlives us would die of a broken pipe at
// its next word, and one that does not read cannot hold us.

// Whom a signal to the terminal's foreground reaches. A step that must not be cut in half runs
// apart, and continues to its end if we are killed; one that may ask a person for a password cannot,
// and is ended when the call that it is for is cancelled (core/budget.h).
enum class SignalsOf { ours, its_own };

struct ProgramCall {
  std::vector<std::string> words;  // the program's name first
  std::string input = {};
  std::optional<std::vector<std::string>> environment = {};  // NAME=value; ours where absent
  SignalsOf signals = SignalsOf::ours;
  std::chrono::milliseconds max_time = std::chrono::seconds(60);
  std::uint64_t max_output = std::uint64_t{256} << 20U;
};

struct ProgramEnd {
  int exit_code = 0;  // 128 and the signal, where one ended it
  std::string out;
  std::string err;
  bool ok() const { return exit_code == 0; }
};

Result<ProgramEnd> run_program(const ProgramCall& call);

// Our environment, NAME=value; of the PATH only what is absolute, so that no folder that we happen
// to stand in chooses a program.
std::vector<std::string> own_environment();

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
