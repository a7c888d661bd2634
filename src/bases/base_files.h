// Base files of a workspace: which there are, which views they have, and what is wrong with them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "database/workspace.h"

namespace notesdb::bases {

// The paths of all .base files in a folder and below, in their natural order; "." is the root.
std::vector<std::string> base_files(const Workspace& workspace, std::string_view folder);

// A view that a .base file has, by the name that `notesdb base` shows it by.
struct BaseFileView {
  std::string id;  // "books/reading.base#Reading"
  std::string name;
  std::string type;
};

std::vector<BaseFileView> views_of_base_files(Workspace& workspace, std::string_view folder);

// What is wrong with them, rule `base`.
std::vector<Issue> issues_of_base_files(Workspace& workspace, std::string_view folder);

}  // namespace notesdb::bases
