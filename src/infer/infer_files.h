// The notes of a folder that is not a database yet: which files are rows, and in what layout.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "core/schema.h"
#include "database/workspace.h"

namespace notesdb {

struct FoundNotes {
  std::vector<std::string> paths;  // relative to the folder, that are rows under `rows`
  RowFiles rows;                   // how a schema says so
};

// Fails as FileSystem::list does.
Result<FoundNotes> find_notes(const FileSystem& files, const std::string& folder);

}  // namespace notesdb
