// Program: another program run to its end, its input given and its output kept.
//
//   Result<ProgramEnd> end = run_program({.words = {"git", "-C", folder, "status"}});
//
// It is found in the absolute folders of the PATH. Exit codes are the caller's to judge; a program
// that cannot be started is an error (io_error), and so is one that takes longer or prints more
// than it may (limit_exceeded): it is ended then, with what it started. What it reads and what it
// prints are files in memory, not pipes: a program that outlives us would die of a broken pipe at
// its next word, and one that does not read cannot hold us.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace notesdb {

// Whom a signal to the terminal's foreground reaches. A step that must not be cut in half runs
// apart, and continues to its end if we are killed; one that may ask a person for a password cannot.
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

}  // namespace notesdb
