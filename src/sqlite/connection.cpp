#include "sqlite/connection.h"

#include <utility>

#include <sqlite3.h>

namespace notesdb::sqlite {
namespace {

constexpr int patience_ms = 5000;

[[noreturn]] void fail(sqlite3* connection) {
  throw Failure(sqlite3_errmsg(connection));
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

Statement& Statement::bind(int place, double number) {
  if (sqlite3_bind_double(statement_.get(), place, number) != SQLITE_OK) {
    fail(sqlite3_db_handle(statement_.get()));
  }
  return *this;
}

Statement& Statement::bind_null(int place) {
  if (sqlite3_bind_null(statement_.get(), place) != SQLITE_OK) {
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

int Statement::column_count() const {
  return sqlite3_column_count(statement_.get());
}

std::string Statement::column_name(int column) const {
  const char* name = sqlite3_column_name(statement_.get(), column);
  return name == nullptr ? std::string() : name;
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

Value Statement::value(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_NULL: return {};
    case SQLITE_INTEGER: return integer(column);
    case SQLITE_FLOAT: return real(column);
    default: return text(column);
  }
}

bool Statement::is_blob(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_BLOB;
}

void Connection::Close::operator()(sqlite3* connection) const {
  sqlite3_close(connection);
}

Connection::Connection(const std::string& path, Opening opening) {
  sqlite3* connection = nullptr;
  const int access = opening == Opening::read_only ? SQLITE_OPEN_READONLY
                                                   : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int flags = access | SQLITE_OPEN_NOMUTEX;
  const int outcome = sqlite3_open_v2(path.c_str(), &connection, flags, nullptr);
  connection_.reset(connection);
  if (connection == nullptr) throw Failure("out of memory");
  if (outcome != SQLITE_OK) fail(connection);
  sqlite3_busy_timeout(connection, patience_ms);
}

void Connection::execute(const std::string& sql) {
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail(connection_.get());
  }
}

void Connection::stop_when(std::function<bool()> is_enough) {
  constexpr int steps = 10'000;  // of SQLite's machine: far below a millisecond
  is_enough_ = std::make_unique<std::function<bool()>>(std::move(is_enough));
  const auto ask = [](void* asked) {
    return (*static_cast<std::function<bool()>*>(asked))() ? 1 : 0;
  };
  sqlite3_progress_handler(connection_.get(), steps, ask, is_enough_.get());
}

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace notesdb::sqlite
