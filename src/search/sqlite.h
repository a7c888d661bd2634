// SQLite as this room uses it: a connection and statements that close themselves, and failures as
// one exception that never leaves the room.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace notesdb::search {

class SqliteFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Statement {
 public:
  Statement(sqlite3* connection, std::string_view sql);

  Statement& bind(int place, std::string_view text);
  Statement& bind(int place, std::int64_t number);
  // Whether there is a row.
  bool step();
  // Steps to the end and is ready again.
  void run();
  void reset();
  std::string text(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// Used by one thread at a time, with its statements.
class Connection {
 public:
  // ":memory:" is a database of its own.
  explicit Connection(const std::string& path);
  void execute(const std::string& sql);
  Statement prepare(std::string_view sql) const { return {connection_.get(), sql}; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  std::unique_ptr<sqlite3, Close> connection_;
};

}  // namespace notesdb::search
