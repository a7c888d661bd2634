// File check: what is wrong with the files of a database whatever its schema says.
//
//   conflict    markers of a merge left in a body        (those in fields are issues of the row)
//   invisible   letters nobody sees in the front matter: zero width, soft hyphens, text that runs
//               the other way, a space that is none around a value
//   fence       fields below a line that is nearly one of `---`, or that blank lines stand above
//   id          two rows whose names are one on systems that ignore case or composition
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "files/file_system.h"
#include "index/database_folder.h"

namespace notesdb {

// The issues of one file's text; the path is the caller's to fill in.
std::vector<Issue> check_text(std::string_view bytes, NoteFormat format);

// All files of a database, read on both cores.
Result<std::vector<Issue>> check_files(const FileSystem& files, const DatabaseFolder& folder);

}  // namespace notesdb
