// Note fields: pseudo-fields that are read from the text of notes and the links between them.
//
//   _tags  _tasks  _tasks_done  _inline.key  _tasks.open .done .total .next_due     of the row's note
//   _links  _backlinks  _unresolved                                                of all notes
//   _name.date .slug .lang .order .id .title .parent                               of the file's name
//   _tags.count  _links.count  _backlinks.count  _unresolved.count
//
// They are columns that a question adds (derived_columns.h), computed for it and never written. A
// question that names none reads no note. What a row's note says is kept by its etag; links are as
// LinkCache has them.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/column.h"
#include "core/etag.h"
#include "core/result.h"
#include "core/value.h"
#include "files/file_system.h"
#include "note/note_facts.h"

namespace notesdb {

class Database;
class LinkCache;

// The column that such a field is for filters and sorts; none for any other name.
std::optional<Column> note_field_column(std::string_view name);

// Those of them whose names are known beforehand, for messages.
std::vector<std::string> note_field_names();

// The values of a field by row id; rows without one are left out.
using NoteFieldValues = std::unordered_map<std::string, Value>;

// Of one database. May be asked from several threads at once.
class NoteFields {
 public:
  explicit NoteFields(const FileSystem& files) : files_(files) {}

  using Databases = std::function<Result<Database*>(std::string_view)>;
  // In the order of the names. Fails with io_error if the rows cannot be read.
  Result<std::vector<NoteFieldValues>> read(const Database& database,
                                            const std::vector<std::string>& names,
                                            LinkCache& links,
                                            const Databases& neighbour);

 private:
  struct Known {
    Etag etag;
    std::shared_ptr<const NoteFacts> facts;
  };
  using RowFacts = std::vector<std::pair<std::string, std::shared_ptr<const NoteFacts>>>;
  Result<RowFacts> read_facts(const Database& database);

  const FileSystem& files_;
  std::mutex mutex_;                              // of facts_
  std::unordered_map<std::string, Known> facts_;  // by path below the database
};

}  // namespace notesdb
