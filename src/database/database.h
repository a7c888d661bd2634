// Database: one folder of rows, asked and changed.
//
//   auto database = workspace.get("tasks");
//   auto answer = (*database)->query({.filters = filters, .limit = 10});
//   auto written = (*database)->update({.row_id = "row-001", .etag = etag, .fields = fields});
//
// Every answer is what a fresh read of the files would give at some moment during the call. A
// change passes all checks (permission, arguments, row, etag, schema) before anything on the disk
// changes; etags, `required` and `unique` are checked under the workspace's write lock. Nothing
// here names an absolute path of the machine.
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
class KeptPlans;
class RowCache;
class RowSink;
struct DerivedColumn;
struct NewFile;
struct NewPlace;
struct RowDraft;
struct RowEdit;
struct RowFile;
struct Violation;

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

struct NewRow {
  Map fields{};
  std::optional<std::string> body{};
  std::string row_id{};        // empty: made as the schema's row_id says
  std::string template_key{};  // empty: none
  Map variables{};             // for the {{names}} of the template, beside {{date}} and {{title}}
};

struct RowChange {
  std::string row_id{};
  std::optional<Etag> etag{};  // none: the row as it is now
  Map fields{};                // null clears
  std::optional<std::string> body{};
  std::optional<std::string> append_body{};
  // Empty: it keeps its id. Else every reference to the row, in any note of the workspace, follows
  // it in the same change.
  std::string new_row_id{};
};

enum class WriteMode { write, dry_run };

// What a write did, or would do.
struct WriteAnswer {
  Row row;                         // as it is now; of remove, as it was
  bool changed = false;            // false: the file holds what was asked for already, untouched
  std::string change;              // its id, which undo takes back; empty if nothing was written
  std::string diff;                // of a dry run: unified, paths from the workspace root
  std::vector<std::string> notes;  // what could not be kept
  bool durable = true;             // false: stored, not yet safe
  std::int64_t references = 0;     // other notes that name the row by its new id now
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
  struct Manner {
    bool read_only = false;
    bool remember = true;          // what was read, from one question to the next
    std::string index_path{};      // where it is remembered for the next process; empty: nowhere
    bool saves_index = true;       // false: that is only read
    std::string root_key{};        // which workspace that is about
    Follower* follower = nullptr;  // of a process that stays
    // Another database of the workspace, which relations may name. Empty: there are none.
    std::function<Result<Database*>(std::string_view)> neighbour{};
  };
  Database(FileSystem& files, std::string id, Manner manner);
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
  // nearest ids, path_not_allowed for what is no row id, malformed_file for an unreadable row.
  Result<Row> get(std::string_view row_id) const;
  // All rows as they are now, in natural order.
  Result<std::vector<RowStamp>> stamps() const;
  // The front matter keys of the rows in the order that most agree on; none where they cannot be
  // read.
  std::vector<std::string> key_order() const;
  // The ids of all rows in natural order.
  Result<std::vector<std::string>> row_ids() const;
  // Where a relation column of this database names a row of another, or of this one.
  struct RelationTo {
    std::string row_id;
    std::string field;
    std::string path;  // from the workspace root
  };
  Result<std::vector<RelationTo>> relations_to(std::string_view database_id,
                                               std::string_view row_id) const;
  // The file of a row, from the workspace root.
  Result<std::string> path_of(std::string_view row_id) const;

  // A part of a slow look at all files, between questions, for what the kernel does not tell
  // (row_cache.h).
  void sweep() const;

  // Fails with read_only where writing is not allowed. Every writing function checks it first.
  Result<void> check_writable() const;
  // Fails with invalid_value or unknown_field naming every violation at once, already_exists for a
  // row id that is taken.
  Result<WriteAnswer> insert(const NewRow& row, WriteMode mode = WriteMode::write);
  // Fails with conflict, the message beginning with CONFLICT, when the row's etag is another; the
  // data then holds `etag` and `row` as they are now.
  Result<WriteAnswer> update(const RowChange& change, WriteMode mode = WriteMode::write);
  Result<WriteAnswer> remove(std::string_view row_id,
                             std::optional<Etag> etag,
                             WriteMode mode = WriteMode::write);

 private:
  // What related rows add to this database's columns (derived_columns.h), for the fields that
  // `names` hold. `depth` counts the databases between the question and this one.
  Result<DerivedColumns> derive(const DatabaseFolder& folder,
                                const std::vector<std::string>& names,
                                int depth) const;
  Result<QueryAnswer> query_at(const QueryRequest& request, int depth) const;
  Result<QueryAnswer> query_into(RowSink& rows, const QueryRequest& request, int depth) const;
  Result<QueryAnswer> query_locked(RowSink& rows,
                                   const QueryRequest& request,
                                   int depth,
                                   const std::shared_ptr<const DatabaseFolder>& folder,
                                   const DerivedColumns& derived) const;
  // What `work` gives for the folder as it is now and what related rows add to it, under the lock.
  // `names` tells for a schema which names lead into other databases.
  template <typename Answer, typename Names, typename Work>
  Result<Answer> with_derived(int depth, const Names& names, const Work& work) const;
  Result<Column> column_of(std::string_view name, int depth) const;
  Result<Column> related_column(const Column& relation, std::string_view field, int depth) const;
  Result<void> add_related_values(const Column& relation, DerivedColumn& column, int depth) const;
  // The row with its issues, also those against the schema.
  Row describe(const DatabaseFolder& folder, const RowFile& file) const;
  // Fails with invalid_value where other rows have what is to be unique.
  Result<void> check_unique(const Map& fields, std::string_view row_id) const;
  // Whether a row may take another id, or already_exists.
  Result<void> check_free(const DatabaseFolder& folder,
                          const std::string& own_id,
                          const std::string& new_id) const;
  // CONFLICT, with the row as it is.
  Error stale(const DatabaseFolder& folder, const RowFile& file) const;
  // The path of a new row that finds its id free, from the database's folder.
  Result<NewPlace> choose_place(const DatabaseFolder& folder,
                                const NewRow& row,
                                const RowDraft& draft) const;
  Result<NewFile> place(const DatabaseFolder& folder,
                        const NewRow& row,
                        const RowDraft& draft) const;
  WriteAnswer preview(const DatabaseFolder& folder, const NewFile& file) const;
  WriteAnswer describe_new(const DatabaseFolder& folder,
                           const NewFile& file,
                           const Written& written) const;
  Result<RowEdit> plan_update(const RowChange& change) const;
  Result<WriteAnswer> finish_update(RowEdit edit);

  FileSystem& files_;
  std::string id_;
  Manner manner_;
  std::unique_ptr<RowCache> cache_;
  std::unique_ptr<KeptPlans> plans_;  // under the lock of the cache
};

}  // namespace notesdb
