// VaultSettings: what the owner of an Obsidian vault has chosen already, read from .obsidian.
//
//   types.json         the type of every property
//   app.json           where attachments lie, which files are ignored
//   daily-notes.json   the folder and the names of daily notes, and their template
//   templates.json     the folder of templates
//
// A file that is missing or cannot be read says nothing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/column.h"
#include "files/file_system.h"

namespace notesdb {

struct VaultSettings {
  struct DailyNotes {
    std::string folder;  // from the workspace root
    std::string format;
  };
  // A file or folder that holds no rows, from the workspace root, and the setting that says so.
  struct Apart {
    std::string path;
    std::string why;
  };

  std::string root;  // the folder that holds .obsidian
  std::map<std::string, ColumnType, std::less<>> types;
  std::optional<DailyNotes> daily;
  std::vector<Apart> apart;
};

// Of the vault that a folder lies in; none where it lies in none.
std::optional<VaultSettings> find_vault_settings(const FileSystem& files, std::string_view folder);

}  // namespace notesdb
