// CaseFolder: one behaviour as a folder below fixtures/cases, read into memory.
//
//   before/         the workspace at the start (absent: empty)
//   request.json    one call {"tool", "arguments"}, or several:
//                     {"tool", "arguments", "steps": {"a claim": {...}, ...}}
//                   A step is {"tool", "arguments"}, each falling back to the ones above it, or
//                   just the arguments, laid over those above it. A step may also be another
//                   program running: {"write": path, "text": "..."} or {"remove": path}.
//   response.json   the answer, in the patterns of matcher.h; of several calls {"a claim": answer}
//   command.txt     optional: the call as a person would type it, a line for each step that calls
//                   ("-": no command of its own, `call` again)
//   after/          the workspace at the end (absent: nothing may have changed)
//
// request.json may also say: "flags" for both interfaces, "environment", "interfaces" (a list of mcp, call,
// command: only these), "after": "unchecked", and "setup", what git cannot hold:
//   {"link": path, "to": target}, {"fifo": path}, {"folder": path}, {"write": path, "text": "..."},
//   {"repeat": 120, "write": "db/row-{n}.md", "text": "n: {n}"} with {n} counted from 1
//   and "pad": 20000 for as many letters after it.
// ${today}, ${today+7}, ${today-7} in all of them are dates of the day the test runs (UTC).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "driving/mcp_client.h"

namespace notesdb::cases {

using driving::Json;

struct Step {
  std::string claim;
  std::string tool;   // empty: another program running
  Json arguments;     // of the call, or what the other program does
  Json expected;      // null where another program works
  std::string words;  // the command a person would type; "-" if none
};

struct CaseFolder {
  std::string name;  // "db_query/paging"
  std::filesystem::path path;
  driving::Words flags;
  driving::Environment environment;
  std::vector<std::string> doors;  // empty: all
  bool after_is_checked = true;
  Json setup = Json::array();
  std::vector<Step> steps;

  bool runs_through(const std::string& door) const;
  bool has_commands() const;
};

// Every folder with a request.json below `root`, in the order of their names.
std::vector<std::filesystem::path> find_case_folders(const std::filesystem::path& root);
// Throws std::runtime_error, naming the file, if the folder does not say what it means.
CaseFolder read_case_folder(const std::filesystem::path& root, const std::filesystem::path& folder);

// Does one entry of `setup`, or what another program does, in a workspace.
void act(const Json& step, const std::filesystem::path& workspace);
// Lays out the workspace at the start, and what must be found at the end.
void lay_out_before(const CaseFolder& folder, const std::filesystem::path& workspace);
void lay_out_after(const CaseFolder& folder, const std::filesystem::path& workspace);

}  // namespace notesdb::cases
