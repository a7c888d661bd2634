// Workspace: the root folder with its databases.
//
//   auto workspace = Workspace::open(settings);
//   for (const std::string& id : (*workspace)->database_ids().ids) ...
//
// A database is a folder with a regular file `_schema.md` or `_schema.yaml`; its id is the path
// from the root. Databases are looked for again at every question, since any program may make one;
// what was learnt about their rows is remembered, and checked, by each Database.
//
// All functions may be called from several threads at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "database/commit.h"
#include "database/database.h"
#include "database/database_search.h"
#include "database/settings.h"
#include "files/file_system.h"

namespace notesdb {

class Disk;
class Follower;
class LinkCache;
class Root;
class RescanThread;
class Watch;

struct WorkspaceSummary {
  std::string root_name;  // the last name of the root, never its path
  bool read_only = false;
  std::int64_t max_rows = 100;
  std::vector<DatabaseSummary> databases;
  std::vector<Issue> issues;  // also: a database whose schema cannot be read
};

// A database about to be made. `schema` holds the keys of a schema file: name, columns,
// description, views, templates, row_id, rows, as a caller gives them.
struct NewDatabase {
  Map schema{};
  std::string database_id{};  // empty: made from the name
};

class Workspace {
 public:
  // Fails with invalid_argument if the root is not a folder.
  static Result<std::unique_ptr<Workspace>> open(const Settings& settings);
  // Over any file system: changes that are only collected, or a test's.
  Workspace(std::unique_ptr<FileSystem> files, const Settings& settings);
  ~Workspace();

  // From now on folders are followed by what the kernel tells of them, so that an answer looks only
  // at what has changed. For a process that answers many questions, before the first of them.
  void stay();
  bool stays() const { return follower_ != nullptr; }

  const Settings& settings() const { return settings_; }
  std::string root_name() const;
  FileSystem& files() { return *files_; }

  Result<DatabaseIds> database_ids() const;
  Result<WorkspaceSummary> summary();
  // Fails with path_not_allowed for what is not a database id, and with unknown_database, naming the
  // choices and the nearest one.
  Result<Database*> get(std::string_view database_id);
  // The same with its schema, in one look at its files.
  struct OpenDatabase {
    Database* database;
    std::shared_ptr<const DatabaseFolder> folder;
  };
  Result<OpenDatabase> open_database(std::string_view database_id);

  // The links of all notes; a process that does not stay looks at all of them for each question.
  LinkCache& link_cache() const { return *link_cache_; }

  // What the search keeps for as long as the workspace is open; made by `make` at the first call.
  std::shared_ptr<void> search_state(const std::function<std::shared_ptr<void>()>& make);

  // Fails with read_only where writing is not allowed.
  Result<void> check_writable() const;
  // The schema file of a database about to be made. Fails with already_exists, and with
  // invalid_value naming everything that is wrong with the schema at once.
  struct SchemaFile {
    std::string database_id;
    std::string path;
    std::string bytes;
  };
  Result<SchemaFile> plan_database(const NewDatabase& database) const;
  // Makes the folder and its schema, whole or not at all. Fails likewise.
  struct Created : Receipt {
    std::string database_id{};
  };
  Result<Created> create_database(const NewDatabase& database, WriteMode mode = WriteMode::write);

  // Takes a change back exactly, by the id that its answer named. Fails with conflict, changing
  // nothing, if one of its files has another content by now.
  struct Undone : Receipt {            // `change` is that of the undoing itself
    std::vector<std::string> paths{};  // what was put back, from the workspace root
  };
  Result<Undone> undo(std::string_view change);

  // Tidies what earlier changes have left (Disk::tidy), for a process that is about to end. One
  // that stays does so by itself.
  void tidy(std::chrono::milliseconds budget);

 private:
  // Null of one that was not asked for before.
  Database* find_known(std::string_view database_id);
  // By its files, whether known or not.
  Result<Database*> find_database(std::string_view database_id);
  Database::WriteOptions manner_of(const std::string& database_id);
  void rescan();

  Settings settings_;
  std::unique_ptr<FileSystem> files_;
  std::unique_ptr<DatabaseSearch> search_;
  Disk* disk_ = nullptr;  // files_, where it is a real disk
  std::unique_ptr<Watch> watch_;
  std::unique_ptr<Follower> follower_;
  std::unique_ptr<LinkCache> link_cache_;
  std::shared_ptr<void> search_state_;
  mutable std::mutex mutex_;  // of databases_ and search_state_
  std::map<std::string, std::unique_ptr<Database>, std::less<>> databases_;
  std::unique_ptr<RescanThread> rescan_thread_;  // ends before what it looks at
};

}  // namespace notesdb
