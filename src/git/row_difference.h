// Row difference: two states of a row, or of many, compared field by field.
//
//   stories/row-001   status   open -> done
//   stories/row-001   _body    +2 -1 lines
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/schema.h"
#include "core/value.h"
#include "files/file_system.h"
#include "git/repository.h"
#include "index/database_folder.h"
#include "note/front_matter.h"

namespace notesdb {

struct RowPath {
  std::string database_id;
  std::string row_id;
  std::shared_ptr<const DatabaseFolder> folder;
};

// Whether a row's id is a number that was given to it, and is given once. Ids of other styles are
// chosen for what they say, and are free again when their row is gone.
bool is_counter_row(const RowPath& row);

// RowPaths: which database and row a path of the workspace is, and which database stands where.
//
// Schemas are read once, when first asked for. A path in no database, or whose name is not a row's,
// is simply none.
class RowPaths {
 public:
  explicit RowPaths(const FileSystem& files) : files_(files) {}

  std::optional<RowPath> find(std::string_view path);
  // The database that a folder is; a null pointer if it is none that can be read.
  std::shared_ptr<const DatabaseFolder> database(std::string_view folder);

 private:
  const FileSystem& files_;
  std::map<std::string, std::shared_ptr<const DatabaseFolder>, std::less<>> known_;
};

// An absent value is a field that is not there. Of the body only the lines are counted, as text in
// `to`; of a file that cannot be read, `_file`.
struct FieldDifference {
  std::string field;
  std::optional<Value> from;
  std::optional<Value> to;
};

struct TwoTexts {
  std::optional<std::string> before;
  std::optional<std::string> after;
};

// In the order of the newer one. Values are read by their columns.
std::vector<FieldDifference> compare_rows(const Schema& schema,
                                          const TwoTexts& texts,
                                          NoteFormat format);

enum class RowFate { added, removed, changed, renamed };
std::string_view name_of(RowFate fate);

struct RowDifference {
  std::string path;
  std::string database_id;  // empty: the file is in no database
  std::string row_id;       // empty: no row
  std::string old_row_id;   // of a renamed one
  RowFate fate = RowFate::changed;
  std::vector<FieldDifference> fields;
};

// What each change did to rows; files that are no rows are left out, but for schemas, whose row is
// `_schema`. Bytes come from git, or from the work tree where git has none.
Result<std::vector<RowDifference>> describe_changes(const Repository& repository,
                                                    const FileSystem& files,
                                                    RowPaths& paths,
                                                    const std::vector<FileChange>& changes);

// "stories: row-001 (status, due), row-004 added; people: ann removed", cut where it grows long.
std::string summarise(const std::vector<RowDifference>& differences);
// A line a row, for what a summary cuts: "stories/row-001 (status, due)". Empty where it cuts
// nothing; the first hundreds of many.
std::string list_rows(const std::vector<RowDifference>& differences);

}  // namespace notesdb
