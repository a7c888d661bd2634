// References: the notes that name a row, as they must be when the row has another id.
//
// Relations, links in other fields and links in bodies, of every database and of notes outside any
// (note/links.h). Also links that mean another file now and would come to mean the renamed one:
// they are written so that they keep their meaning. All notes are read for it; none is written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/etag.h"
#include "core/result.h"
#include "database/link_rules.h"
#include "files/file_system.h"
#include "note/links.h"

namespace notesdb {

// A row that is about to have another id.
struct RowRenaming {
  std::string database;
  std::string old_id;
  std::string new_id;
  std::string path;      // of its file, from the workspace root
  std::string new_path;  // the same then
};

struct RelinkedNote {
  std::string path;
  Etag etag;  // of `before`
  std::string before;
  std::string after;
};

struct References {
  std::vector<RelinkedNote> notes;  // by path, without the row itself
  std::vector<std::string> unread;  // paths of notes that hold the name and cannot be read
  std::vector<std::string> left;  // paths of canvases that cannot name the row as it is called now
  std::size_t kept = 0;  // links that would have come to mean the row and keep their meaning
};

// `own` is the row's note: its references to itself are made new, and its relative links for where
// it lies then. Fails with malformed_file, naming the note, if one refers to the row and cannot be
// edited.
Result<References> relink_references(const FileSystem& files,
                                     const LinkSettings& settings,
                                     const RowRenaming& renaming,
                                     const Schema& schema,
                                     Note& own);

}  // namespace notesdb
