// TextIndex: the words of every row of a workspace, in one SQLite file.
//
//   databases(id, digest)     schema and all etags, to see at once that nothing changed
//   rows(number, database, id, etag)     what is indexed, and which bytes it was; the last byte of
//                                        a number says how long the row is (sqlite/word_rank.h)
//   notes(title, fields, body)           FTS5, by the row's number
//
// Words are those of search/words.h. Before the text of each field stands its key (field_mark), and
// each word of it is indexed with that key too, for questions like `status:open`.
//
// A TextIndex is used by one thread at a time. What SQLite says against it leaves as a sqlite::Failure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "database/database.h"
#include "index/database_folder.h"
#include "search/search_text.h"
#include "sqlite/connection.h"

namespace notesdb::search {

// Part of the file's name: programs of two versions do not take turns at one file.
inline constexpr std::int64_t index_version = 5;

struct Hit {
  std::int64_t number = 0;
  double score = 0;  // lower is better
};

// The row that a number stands for.
struct Place {
  std::string database;
  std::string id;
  std::string etag;
};

struct Excerpt {
  std::string title;
  std::string snippet;
};

class TextIndex {
 public:
  // Makes the tables of a new file, or of one that an other version made.
  explicit TextIndex(const std::string& path);

  // Reads what changed in a database since it was last indexed. Another schema is another reading
  // of every row. A budget that ends leaves what was read by then, with which the next one goes on;
  // others that want to write to the file get in between the rows.
  Result<void> refresh(const FileSystem& files,
                       const Database& database,
                       const DatabaseFolder& folder);
  // Forgets databases that are none any more.
  void keep_only(const std::vector<std::string>& databases);

  // What is asked from here on is of one moment, until done() or the end of the index.
  void begin_asking() { connection_.execute("BEGIN"); }
  void done() { connection_.execute("COMMIT"); }
  // In any order; of one database, or of all where `database` is empty. A common word is in most
  // rows, so nothing is looked up here that only a page needs.
  std::vector<Hit> find(const std::string& expression, const std::string& database);
  std::vector<Place> places(std::span<const Hit> hits);
  // The numbers of these rows, in order.
  std::vector<std::int64_t> numbers(const std::string& database, const std::set<std::string>& ids);
  // Of the rows with these numbers, around what was asked for.
  std::map<std::int64_t, Excerpt> excerpts(const std::vector<WantedText>& wanted,
                                           std::span<const std::int64_t> numbers);

 private:
  std::vector<RowStamp> drop_changed(const std::string& database,
                                     const std::vector<RowStamp>& stamps);
  bool has(const std::string& database, const RowStamp& stamp);
  bool add(const FileSystem& files, const DatabaseFolder& folder, const RowStamp& stamp);
  void drop(const std::string& database, const std::string& id);
  std::int64_t data_version();
  std::string known_digest(const std::string& database);
  void set_digest(const std::string& database, const std::string& digest);
  void forget(const std::string& database);
  bool holds_others(const std::string& database);

  sqlite::Connection connection_;
  bool is_kept_;  // by a file, for the next one
  // Which version of the rows the index is of, by database, as long as nobody else has written.
  std::map<std::string, std::pair<Etag, std::uint64_t>> in_step_;
  std::int64_t data_version_ = 0;
};

}  // namespace notesdb::search
