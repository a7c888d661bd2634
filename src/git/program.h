// Program: another program run to its end, its input given and its output kept.
//
//   Result<ProgramEnd> end = run_program({.words = {"git", "-C", folder, "status"}});
//
// It is found on the PATH and sees our environment. Exit codes are the caller's to judge; only a
// program that cannot be started at all is an error (io_error). What it prints goes to files in
// memory, not to pipes: a program that outlives us would die of a broken pipe at its next word.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace notesdb {

// Whom a signal to the terminal's foreground reaches. A step that must not be cut in half runs
// apart, and goes on to its end if we are killed; one that may ask a person for a password cannot.
enum class SignalsOf { ours, its_own };

struct ProgramCall {
  std::vector<std::string> words;  // the program's name first
  std::string input = {};
  std::vector<std::string> environment = {};  // NAME=value, over ours
  SignalsOf signals = SignalsOf::ours;
};

struct ProgramEnd {
  int exit_code = 0;  // 128 and the signal, where one ended it
  std::string out;
  std::string err;
  bool ok() const { return exit_code == 0; }
};

Result<ProgramEnd> run_program(const ProgramCall& call);

}  // namespace notesdb
