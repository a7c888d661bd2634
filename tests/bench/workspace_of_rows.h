// The workspace that benchmarks ask, and the two questions that all of them put:
//
//   first    status is done, estimate at least 3, due set; by due; 50 rows of three columns
//   second   how many rows of each status
//
// Both go through dispatch and end as JSON, as a tool's answer does.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "database/workspace.h"

namespace notesdb::bench {

struct Places {
  std::string workspace;  // holds the database `tasks`
  std::string sqlite;     // the same rows; empty: no benchmark beside sqlite
};
Places& places();

// Opens places().workspace; ends the program, saying why, where there is none.
std::unique_ptr<Workspace> open_workspace();

std::string ask_first(Workspace& workspace);
std::string ask_second(Workspace& workspace);

// The paths of the rows in places().workspace, and the text between the fences of each.
std::vector<std::string> row_paths();
std::vector<std::string> front_matters();

std::string read_file(const std::string& path);

// The memory that this process holds now, in bytes, with what malloc can give back given back.
std::int64_t held_memory();

}  // namespace notesdb::bench
