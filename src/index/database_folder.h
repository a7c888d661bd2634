// DatabaseFolder: one database as its folder has it at a moment: the schema file, and which files
// are rows. A value that never changes; whoever wants to know of changes reads another one.
//
// Nothing about rows is read here but their names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "files/file_system.h"
#include "index/formula_columns.h"
#include "index/paths.h"
#include "schema/document.h"

namespace notesdb {

// The files of a folder and below, as far as rows may lie there. Paths are relative to the
// database.
struct RowListing {
  struct Folder {
    std::string path;  // "" the database itself
    StatKey key;       // taken before the folder was listed
  };
  std::vector<std::string> paths;  // of rows, in natural order of their ids, ids unique
  std::vector<Folder> folders;     // all that were listed
  // Links, devices, conflict copies, names that are no text, two files of one id.
  std::vector<Issue> issues;
};

class DatabaseFolder {
 public:
  // Fails with unknown_database if the folder has no schema file, malformed_file if it says nothing
  // about columns or has a glob that is none.
  static Result<std::shared_ptr<const DatabaseFolder>> read(const FileSystem& files,
                                                            std::string id);
  // The schema file of a folder, from the workspace root; empty if the folder is not a database.
  static std::optional<std::string> find_schema_file(const FileSystem& files,
                                                     std::string_view folder);

  const std::string& id() const { return id_; }
  // Its formula columns have the types of their values.
  const Schema& schema() const { return document_.schema; }
  const FormulaColumns& formulas() const { return formulas_; }
  const SchemaDocument& document() const { return document_; }
  const std::string& schema_path() const { return schema_path_; }
  Etag schema_etag() const { return schema_etag_; }
  // Of what the schema file says but next_row_id, which every new row moves: where it is the same,
  // rows are read the same.
  Etag reading_etag() const { return reading_etag_; }
  const StatKey& schema_key() const { return schema_key_; }
  const RowNames& names() const { return names_; }

  // A path in this database, from the workspace root.
  std::string full_path(std::string_view path) const;

  Result<RowListing> list_rows(const FileSystem& files) const;
  // The file of a row, relative to the database; empty if there is none. Fails with
  // path_not_allowed for what is not a row id or would not be listed.
  Result<std::optional<std::string>> find_row(const FileSystem& files,
                                              std::string_view row_id) const;

 private:
  DatabaseFolder(std::string id, std::string schema_path, SchemaDocument document);
  Result<void> list_folder(const FileSystem& files,
                           const std::string& folder,
                           RowListing& listing) const;
  void take_entry(const Entry& entry,
                  const std::string& path,
                  RowListing& listing,
                  std::vector<std::string>& folders) const;
  void drop_second_files(RowListing& listing) const;
  Issue issue_at(std::string_view path, std::string rule, std::string message) const;

  std::string id_;
  std::string schema_path_;
  SchemaDocument document_;
  FormulaColumns formulas_;
  Etag schema_etag_;
  Etag reading_etag_;
  StatKey schema_key_;
  RowNames names_;
};

}  // namespace notesdb
