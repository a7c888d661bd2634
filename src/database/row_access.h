// Reading one row file for an answer: the note with its etag, and the row as answers give it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/row.h"
#include "database/validate.h"
#include "index/database_folder.h"
#include "note/note.h"

namespace notesdb {

// A row's file as one reading found it.
struct RowFile {
  std::string path;  // from the workspace root
  std::string id;
  Note note;
  Etag etag;
  StatKey key;
};

// Fails with malformed_file, naming the path, if the file is unreadable; path_not_allowed; and with
// unknown_row, naming the nearest ids, if there is none. To look for those takes a listing; of many
// rows that are missing the first few have them.
enum class NearestIds { included, left_out };
Result<RowFile> read_row_file(const FileSystem& files,
                              const DatabaseFolder& folder,
                              std::string_view row_id,
                              NearestIds nearest = NearestIds::included);

// The whole row: fields, extra, body, time, and the issues of the file.
Row to_row(const DatabaseFolder& folder, const RowFile& file);

// A violation as an issue at the field it is about.
Issue to_issue(const Violation& violation, const RowFile& file);

}  // namespace notesdb
