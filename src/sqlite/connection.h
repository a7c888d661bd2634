// SQLite as the modules above use it: a connection and statements that close themselves, and
// failures as one exception, which no module that uses this lets out.
//
//   sqlite::Connection file(path);
//   sqlite::Statement rows = file.prepare("SELECT id FROM rows WHERE database = ?");
//   rows.bind(1, database);
//   while (rows.step()) take(rows.text(0));
//
// A statement may not outlive its connection; both belong to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

struct fts5_api;
struct sqlite3;
struct sqlite3_stmt;

namespace notesdb::sqlite {

class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// Others have had the file for longer than SQLite waits. Nothing is wrong with it.
class Busy : public Failure {
 public:
  using Failure::Failure;
};

class Statement {
 public:
  // Of several statements the first; `rest`, where it is wanted, is what stands behind it.
  Statement(sqlite3* connection, std::string_view sql, std::string_view* rest = nullptr);

  // Places count from 1.
  Statement& bind(int place, std::string_view text);
  Statement& bind(int place, std::int64_t number);
  Statement& bind(int place, double number);
  Statement& bind_null(int place);
  // A scalar: NULL, INTEGER (a boolean is 0 or 1), REAL or TEXT.
  Statement& bind_value(int place, const Value& scalar);
  // Whether there is a row.
  bool step();
  // Steps to the end and is ready again.
  void run();
  void reset();

  // Whether the text held no statement: nothing but spaces and comments.
  bool is_empty() const { return statement_ == nullptr; }
  int parameter_count() const;
  // With the character before it, ":since"; of ?3 "?3", of a bare ? empty.
  std::string parameter_name(int place) const;

  // Columns count from 0.
  int column_count() const;
  std::string column_name(int column) const;
  std::string text(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  // NULL, INTEGER, REAL or TEXT as they are; a BLOB as the text of its bytes.
  Value value(int column) const;
  bool is_blob(int column) const;
  // What a BLOB is in SQL: X'00ff'.
  std::string blob_text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

enum class Opening { create, read_only };

// Used by one thread at a time, with its statements.
class Connection {
 public:
  // ":memory:" is a database of its own.
  explicit Connection(const std::string& path, Opening opening = Opening::create);
  void execute(const std::string& sql);
  // Statements that run fail as soon as `is_enough` says so; it is asked every few thousand steps.
  void stop_when(std::function<bool()> is_enough);
  Statement prepare(std::string_view sql) const { return {connection_.get(), sql}; }

  // From now on a statement may read, and nothing else: no write, no other file, no setting, no
  // extension. `may_read` tells which tables; functions that reach out of the question are refused
  // with everything else. `refused` gets the words for what was: "ATTACH", "the table x".
  struct ReadOnly {
    std::function<bool(std::string_view table)> may_read;
    std::string refused{};
    bool is_declaring = false;  // a virtual table, for which SQLite goes through the same gate
  };
  // `rules` must outlive the statements.
  void allow_only_reading(ReadOnly& rules);

  // A text as the words that FTS5 indexes, each with the bytes that it was made of. A word of
  // `Place::same` stands where the one before it does. False ends it.
  enum class WordsOf { document, question };
  enum class Place { next, same };
  using TakeWord =
      std::function<bool(std::string_view word, std::size_t begin, std::size_t end, Place)>;
  using SplitText = std::function<void(std::string_view text, WordsOf, const TakeWord& take)>;
  // From now on tables may say `tokenize = 'name'`. Fails where this SQLite has no FTS5.
  void add_tokenizer(const std::string& name, SplitText split);

  sqlite3* handle() const { return connection_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  std::unique_ptr<std::function<bool()>> is_enough_;    // where SQLite finds it, and outlives it
  std::vector<std::unique_ptr<SplitText>> tokenizers_;  // likewise
  std::unique_ptr<sqlite3, Close> connection_;
};

// MemoryLimit: the most that SQLite may hold for this thread, from here on and as long as this
// stands; one that is made within another takes its place. A statement that needs more fails.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::uint64_t bytes);
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit();

  // Whether something was refused.
  bool is_reached() const { return is_reached_; }

 private:
  friend struct MeteredMemory;
  static thread_local constinit MemoryLimit* current;
  std::int64_t left_;
  bool is_reached_ = false;
  MemoryLimit* outer_;
};

// Fails where this SQLite has no FTS5.
fts5_api* fts5_of(const Connection& connection);

// A name of a table or column between double quotes, whatever it holds.
std::string quoted_name(std::string_view name);

}  // namespace notesdb::sqlite
