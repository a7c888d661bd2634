// Database: one folder of rows, read.
//
//   auto database = workspace.get("tasks");
//   auto answer = (*database)->query({.filters = filters, .limit = 10});
//
// Every answer is what a fresh read of the files would give at some moment during the call. Rows
// are changed elsewhere (write_rows.h). Nothing here names an absolute path of the machine.
//
// All functions may be called from several threads at once. A Database lives as long as its
// Workspace.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/row.h"
#include "core/schema.h"
#include "files/file_system.h"

namespace notesdb {

class DatabaseFolder;
class DerivedColumns;
class Follower;
class LinkCache;
class NoteFields;
class PlanCache;
class Table;
struct QueryPlan;
class RowCache;
class RowSink;
struct DerivedColumn;
class ReverseRollups;
class RowTable;
class Snapshot;
struct RowFile;

// What the schema file says, and what it fails to say.
struct SchemaAnswer {
  Schema schema;
  Etag etag;                  // of the schema file
  std::vector<Issue> issues;  // of the schema file
  std::string notes;          // the text below the front matter, for people
  // Front matter keys that rows have and the schema does not declare, with the number of rows.
  std::vector<std::pair<std::string, std::int64_t>> undeclared;
};

// What a query asks. Filters and sort stand as a caller gives them (contract, section 2) and are
// read against the schema that the same call sees; null asks for nothing.
struct QueryRequest {
  Value filters{};
  Value sort{};
  std::string view{};                 // its filters, sorts and columns hold too; empty: none
  std::vector<std::string> select{};  // column ids and pseudo-fields; empty: the view's, else all
  std::int64_t limit = 50;
  std::int64_t offset = 0;
  bool include_body = false;

  friend bool operator==(const QueryRequest&, const QueryRequest&) = default;
};

struct QueryAnswer {
  std::int64_t total = 0;  // all rows that match, exact
  std::vector<std::string> columns{};
  std::vector<Row> rows{};      // fields of `columns` only; `modified` where _modified is selected
  std::int64_t unreadable = 0;  // files that are rows by name and could not be read at all
  std::vector<Issue> issues{};  // one for each of those
  std::string hint{};           // why nothing was found, where that is easily said; empty if not
  // Of a view with `group_by`: {column: value, count}, over all rows that match; a select's in the
  // order of its options.
  std::vector<Map> groups{};
};

// Which bytes a row had when it was last looked at.
struct RowStamp {
  std::string id;
  Etag etag;

  friend bool operator==(const RowStamp&, const RowStamp&) = default;
};

// Groups and numbers over the rows that match.
struct AggregateRequest {
  Value filters{};
  std::vector<std::string> group_by{};  // up to 3
  Value metrics{};                      // [{function, field?, as?}]; null: a count
  Value sort{};
  std::optional<std::int64_t> limit{};
};

struct AggregateAnswer {
  std::int64_t total = 0;  // groups before the limit
  std::vector<Map> groups{};
  std::int64_t unreadable = 0;
  std::string notice{};  // sums that had to be rounded; empty if none
};

// What makes up a list of databases.
struct DatabaseSummary {
  std::string id;
  std::string name;
  std::string description;
  std::int64_t row_count = 0;
  std::int64_t column_count = 0;
  std::int64_t issue_count = 0;
};

class Database {
 public:
  // What a Database may do, as the settings say.
  struct WriteOptions {
    bool remember = true;          // what was read, from one question to the next
    std::string index_path{};      // where it is remembered for the next process; empty: nowhere
    std::string root_key{};        // which workspace that is about
    Follower* follower = nullptr;  // of a process that stays
    // Another database of the workspace, which relations may name. Empty: there are none.
    std::function<Result<Database*>(std::string_view)> neighbour{};
    // The links of the workspace's notes. Empty: nobody knows them.
    std::function<LinkCache&()> links{};
  };
  Database(const FileSystem& files, std::string id, WriteOptions manner);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& id() const { return id_; }

  // Fails with malformed_file if the schema file says nothing about columns.
  Result<SchemaAnswer> schema() const;
  // The schema file and which files are rows, without a look at any row.
  Result<std::shared_ptr<const DatabaseFolder>> folder() const;
  Result<DatabaseSummary> summary() const;
  // Everything wrong with schema and rows, by path and line.
  Result<std::vector<Issue>> issues() const;

  // What is wrong with a request, without running it; for a caller that has more to complain of.
  std::vector<Error> check(const QueryRequest& request) const;
  Result<QueryAnswer> query(const QueryRequest& request) const;
  // The same, its rows handed to a sink one by one (row_sink.h) and none of them in the answer. Of
  // an answer that fails the sink has nothing or a part.
  Result<QueryAnswer> query(const QueryRequest& request, RowSink& rows) const;
  Result<AggregateAnswer> aggregate(const AggregateRequest& request) const;
  // The row with body, rollups, extra keys, issues and time. Fails with unknown_row, naming the
  // nearest ids, path_not_allowed for what is not a row id, malformed_file for an unreadable row.
  Result<Row> get(std::string_view row_id) const;
  // All rows as they are now, in natural order.
  Result<std::vector<RowStamp>> stamps() const;
  // A number that is the same as long as these are; without a cache it is another each time.
  Result<std::uint64_t> version() const;
  // The front matter keys of the rows in the order that most agree on; none where they cannot be
  // read.
  std::vector<std::string> key_order() const;
  // The ids of all rows in natural order.
  Result<std::vector<std::string>> row_ids() const;
  // The file of a row, from the workspace root.
  Result<std::string> path_of(std::string_view row_id) const;

  // A part of a slow look at all files, between questions, for what the kernel does not tell
  // (row_cache.h).
  void rescan() const;

  // Shows the folder and its rows as they are now, which stay so during the call.
  using Look = std::function<void(const DatabaseFolder& folder, const RowTable& rows)>;
  Result<void> with_rows(const Look& look) const;
  // The same for as long as the caller wants (snapshot.h).
  Result<std::unique_ptr<Snapshot>> snapshot() const;
  // The row with its issues, also those against the schema.
  Row describe(const DatabaseFolder& folder, const RowFile& file) const;

 private:
  friend class Snapshot;
  // What related rows add to this database's columns (derived_columns.h), for the fields that
  // `names` hold. `depth` counts the databases between the question and this one.
  Result<DerivedColumns> derive(const DatabaseFolder& folder,
                                const std::vector<std::string>& names,
                                int depth) const;
  Result<QueryAnswer> query_at(const QueryRequest& request, int depth) const;
  Result<QueryAnswer> query_into(RowSink& rows, const QueryRequest& request, int depth) const;
  struct AllRows;
  Result<AllRows> read_all() const;
  struct Asked;  // what a question is answered from
  void show_rows(RowSink& rows,
                 const Asked& asked,
                 const QueryPlan& plan,
                 const Table& values,
                 const std::vector<std::uint32_t>& matches,
                 int depth) const;
  Result<QueryAnswer> answer(RowSink& rows,
                             const QueryRequest& request,
                             int depth,
                             const Asked& asked,
                             const QueryPlan& plan) const;
  // What `work` gives, without the lock, for the folder and rows as they are now, what related rows
  // add to them, and what `plan` makes of those under the lock. `names` tells for a schema which
  // names lead into other databases.
  template <typename Answer, typename Names, typename Plan, typename Work>
  Result<Answer> with_derived(int depth,
                              const Names& names,
                              const Plan& plan,
                              const Work& work) const;
  class SeenFolders;
  struct FollowedDatabase;
  Result<Column> column_of(std::string_view name,
                           const Schema& schema,
                           int depth,
                           SeenFolders& seen) const;
  Result<Column> related_column(const Column& relation,
                                std::string_view field,
                                int depth,
                                SeenFolders& seen) const;
  std::vector<Result<void>> follow(const std::string& database,
                                   const FollowedDatabase& followed,
                                   std::vector<DerivedColumn>& columns,
                                   int depth) const;
  Result<void> add_note_fields(const std::vector<std::string>& names,
                               DerivedColumns& derived) const;
  Result<Column> reverse_column(const Column& declared, int depth, SeenFolders& seen) const;
  void add_reverse_rollups(const Schema& schema,
                           const std::vector<std::string>& names,
                           DerivedColumns& derived,
                           int depth,
                           SeenFolders& seen) const;
  Result<void> add_failed_formulas(std::vector<Issue>& issues) const;
  class SeenRows;
  Result<void> add_reverse_values(DerivedColumn& column, SeenRows& seen) const;
  Result<void> add_backlink_values(DerivedColumn& column) const;
  static Result<void> add_related_values(const Database& target,
                                         const std::vector<std::string>& fields,
                                         const std::vector<DerivedColumn*>& columns,
                                         int depth);

  const FileSystem& files_;
  std::string id_;
  WriteOptions manner_;
  std::unique_ptr<RowCache> cache_;
  std::unique_ptr<NoteFields> note_fields_;
  std::unique_ptr<ReverseRollups> reverse_rollups_;
  std::unique_ptr<PlanCache> plans_;  // under the lock of the cache
};

}  // namespace notesdb
