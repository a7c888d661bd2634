// NoteWalk: every note below the workspace root, with the database that it lies in.
//
// Markdown files and canvases anywhere, and the rows and schemas of databases whatever they end in. Folders that
// are no part of a workspace (a leading dot, node_modules, assets) are passed over.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "files/file_system.h"
#include "index/database_folder.h"

namespace notesdb {

struct WalkedNote {
  std::string path;                                    // from the workspace root
  std::string_view folder;                             // of it
  const std::shared_ptr<const DatabaseFolder>& owner;  // the database it lies in or below, or null
  std::string_view row_id;                             // empty for a note that is not a row
  const FileView& file;  // its bytes, whole or being written; of a known note its stat key only
  bool is_known = false;
};

struct EnteredFolder {
  const std::string& path;
  const std::shared_ptr<const DatabaseFolder>& owner;  // that its notes lie in or below, or null
  const std::vector<Entry>& entries;
  const std::vector<bool>& rows;  // whether each of them is a row's file
  bool has_notes = true;          // false: of attachments only
};

struct NoteWalker {
  std::function<void(const WalkedNote&)> visit;
  // Called before a folder is listed; empty: nobody wants to know.
  std::function<void(const std::string& folder)> enters{};
  // Called when it has been listed, before its notes are read.
  std::function<void(const EnteredFolder& folder)> entered{};
  // Whether a note of this stat key need not be read; empty: all are read.
  std::function<bool(const std::string& path, const StatKey& key)> is_known{};
  // Whether folders of attachments are listed too; no note is looked for in them.
  bool with_attachments = false;
};

// Calls `visit` for each note, from several threads at once and in no order. What disappears
// meanwhile is passed over.
void walk_notes(const FileSystem& files, const NoteWalker& walker);

// What a walk would say of a single file in a folder whose notes lie in or below `owner`, which may
// be null: whether it is a note, and the id of its row, empty if it is none.
bool is_note(const DatabaseFolder* owner, std::string_view path);
RowIdText row_id_at(const DatabaseFolder* owner, std::string_view path);
// The same of what is known to be a row.
RowIdText id_of_row_at(const DatabaseFolder& owner, std::string_view path);

}  // namespace notesdb
