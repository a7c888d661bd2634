// Door: a way into the program, the same for every case: a step goes in, an answer comes out.
//
//   mcp       one `notesdb mcp` for the whole case, spoken to as a host would
//   call      `notesdb call TOOL JSON --json`, a process for each step
//   command   the command a person would type, where the case gives one; else as `call`
//
// An answer is the tool's result, or {"error": {code, message, data}} where the call failed.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cases/case_folder.h"
#include "cases/matcher.h"

namespace notesdb::cases {

class Door {
 public:
  virtual ~Door() = default;
  virtual Json call(const Step& step, const Bindings& bindings) = 0;
  // What is wrong with how it ended; empty if nothing.
  virtual std::string close() { return ""; }
};

// Opens the interface of this name on a workspace; caches go into `cache`.
std::unique_ptr<Door> open_door(const std::string& name,
                                const CaseFolder& folder,
                                const std::filesystem::path& workspace,
                                const std::filesystem::path& cache);

}  // namespace notesdb::cases
