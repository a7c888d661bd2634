// Layout: which files of a folder that is not a database yet are its rows, and why.
//
//   posts/foo.md  posts/bar/index.md       layout mixed: rows foo and bar
//   git/index.md  vim/index.md ...         layout folder
//   Daily/2024/05/2024-05-06.md            ids are dates, as daily-notes.json says
//
// What the owner of a vault has chosen goes before what the names look like. What could be read
// either way is a choice: the first option holds until somebody answers it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/schema.h"
#include "infer/vault_settings.h"
#include "note/link_names.h"

namespace notesdb {

struct LeftOut {
  std::string path;  // a file or folder, from the workspace root
  std::size_t files = 0;
  std::string why;
};

struct Choice {
  std::string key;
  std::string question;
  std::vector<std::string> options;
  std::size_t chosen = 0;
};

using ChoiceAnswers = std::map<std::string, std::size_t, std::less<>>;  // by key

struct FoundNotes {
  std::vector<std::string> paths;  // relative to the folder, that are rows under `rows`
  RowFiles rows;                   // how a schema says so
  std::optional<RowIdRule> row_id{};
  std::vector<std::string> why{};  // in sentences
  std::vector<LeftOut> left_out{};
  std::vector<Choice> choices{};
};

// What stands around a folder and has a say.
struct FolderContext {
  LinkRules rules{};  // of the tool that its notes were written with
  std::optional<VaultSettings> vault{};
  std::set<std::string, std::less<>> databases{};  // folders that are or become their own
};
FolderContext context_of(const FileSystem& files,
                         const std::string& folder,
                         std::set<std::string, std::less<>> databases);

// Fails as FileSystem::list does.
Result<FoundNotes> find_notes(const FileSystem& files,
                              const std::string& folder,
                              const FolderContext& context,
                              const ChoiceAnswers& answers);

// The folders below `root` that become databases of their own: of a vault its own folder, and that of
// its daily notes; else those that hold notes of one kind, at least three with fields or three folders
// with one note each, and the docs of a site that is made of those. Folders below a chosen one are
// its own; databases are left out.
struct NaturalDatabases {
  std::vector<std::string> folders;
  std::size_t elsewhere = 0;  // notes with fields in other folders
  std::string example{};      // one of those folders
};
Result<NaturalDatabases> natural_databases(const FileSystem& files, const std::string& root);

}  // namespace notesdb
