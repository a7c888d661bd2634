#include "search/sqlite.h"

#include <sqlite3.h>

namespace notesdb::search {
namespace {

constexpr int patience_ms = 5000;

[[noreturn]] void fail(sqlite3* connection) {
  throw SqliteFailure(sqlite3_errmsg(connection));
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement::Statement(sqlite3* connection, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int outcome =
      sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
  if (outcome != SQLITE_OK) fail(connection);
}

Statement& Statement::bind(int place, std::string_view text) {
  const int outcome = sqlite3_bind_text(statement_.get(),
                                        place,
                                        text.empty() ? "" : text.data(),
                                        static_cast<int>(text.size()),
                                        SQLITE_TRANSIENT);
  if (outcome != SQLITE_OK) fail(sqlite3_db_handle(statement_.get()));
  return *this;
}

Statement& Statement::bind(int place, std::int64_t number) {
  if (sqlite3_bind_int64(statement_.get(), place, number) != SQLITE_OK) {
    fail(sqlite3_db_handle(statement_.get()));
  }
  return *this;
}

bool Statement::step() {
  const int outcome = sqlite3_step(statement_.get());
  if (outcome != SQLITE_ROW && outcome != SQLITE_DONE) fail(sqlite3_db_handle(statement_.get()));
  return outcome == SQLITE_ROW;
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
}

std::string Statement::text(int column) const {
  const auto* bytes = sqlite3_column_text(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return bytes == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(bytes), size);
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

void Connection::Close::operator()(sqlite3* connection) const {
  sqlite3_close(connection);
}

Connection::Connection(const std::string& path) {
  sqlite3* connection = nullptr;
  constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int outcome = sqlite3_open_v2(path.c_str(), &connection, flags, nullptr);
  connection_.reset(connection);
  if (connection == nullptr) throw SqliteFailure("out of memory");
  if (outcome != SQLITE_OK) fail(connection);
  sqlite3_busy_timeout(connection, patience_ms);
}

void Connection::execute(const std::string& sql) {
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail(connection_.get());
  }
}

}  // namespace notesdb::search
