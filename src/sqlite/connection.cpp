#include "sqlite/connection.h"

#include <exception>
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

namespace {

fts5_api* api_of(sqlite3* connection) {
  fts5_api* api = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, nullptr) == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, static_cast<void*>(&api), "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  return api;
}

// What is thrown may not pass the functions of SQLite.
struct Taking {
  const Tokenizer::Take& take;
  std::exception_ptr thrown = {};
};

int take_word(
    void* context, int /*flags*/, const char* word, int length, int begin, int end) noexcept {
  auto& taking = *static_cast<Taking*>(context);
  try {
    const bool goes_on = taking.take({word, static_cast<std::size_t>(length)},
                                     static_cast<std::size_t>(begin),
                                     static_cast<std::size_t>(end));
    return goes_on ? SQLITE_OK : SQLITE_DONE;
  } catch (...) {
    taking.thrown = std::current_exception();
    return SQLITE_ABORT;
  }
}

}  // namespace

struct Tokenizer::Made {
  fts5_tokenizer functions{};
  Fts5Tokenizer* tokenizer = nullptr;

  Made() = default;
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() {
    if (tokenizer != nullptr) functions.xDelete(tokenizer);
  }
};

Tokenizer::Tokenizer(const Connection& connection, const std::vector<std::string>& arguments)
    : made_(std::make_unique<Made>()) {
  fts5_api* const api = api_of(connection.handle());
  void* context = nullptr;
  std::vector<const char*> texts;
  for (const std::string& argument : arguments)
    texts.push_back(argument.c_str());
  const bool is_made =
      api != nullptr &&
      api->xFindTokenizer(api, "unicode61", &context, &made_->functions) == SQLITE_OK &&
      made_->functions.xCreate(
          context, texts.data(), static_cast<int>(texts.size()), &made_->tokenizer) == SQLITE_OK;
  if (!is_made) throw Failure("SQLite has no tokenizer 'unicode61'");
}

Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

void Tokenizer::split(std::string_view text, const Take& take) const {
  if (text.empty()) return;
  Taking taking{take};
  const int outcome = made_->functions.xTokenize(made_->tokenizer,
                                                 &taking,
                                                 FTS5_TOKENIZE_AUX,
                                                 text.data(),
                                                 static_cast<int>(text.size()),
                                                 take_word);
  if (taking.thrown) std::rethrow_exception(taking.thrown);
  if (outcome != SQLITE_OK && outcome != SQLITE_DONE) throw Failure("a text has no words");
}

}  // namespace notesdb::sqlite
