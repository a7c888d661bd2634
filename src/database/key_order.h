// The order in which the rows of a folder have their front matter keys, so that a new key goes
// where its neighbours have it.
#pragma once

#include <string>
#include <vector>

#include "files/file_system.h"
#include "index/database_folder.h"

namespace notesdb {

// The order most rows agree on, from a sample spread over the folder; empty where there are none.
std::vector<std::string> usual_key_order(const FileSystem& files, const DatabaseFolder& folder);

}  // namespace notesdb
