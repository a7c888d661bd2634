#include "sqlite/connection.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <sqlite3.h>

namespace notesdb::sqlite {

namespace {

constexpr int patience_ms = 1000;

[[noreturn]] void fail(sqlite3* connection) {
  constexpr int primary = 0xFF;
  if ((sqlite3_errcode(connection) & primary) == SQLITE_BUSY)
    throw Busy(sqlite3_errmsg(connection));
  throw Failure(sqlite3_errmsg(connection));
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement::Statement(sqlite3* connection, std::string_view sql, std::string_view* rest) {
  sqlite3_stmt* statement = nullptr;
  const char* behind = nullptr;
  const int outcome =
      sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &statement, &behind);
  statement_.reset(statement);
  if (outcome != SQLITE_OK) fail(connection);
  if (rest != nullptr) *rest = sql.substr(static_cast<std::size_t>(behind - sql.data()));
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

Statement& Statement::bind_value(int place, const Value& scalar) {
  switch (scalar.kind()) {
    case ValueKind::null: return bind_null(place);
    case ValueKind::boolean: return bind(place, std::int64_t{scalar.boolean()});
    case ValueKind::integer: return bind(place, scalar.integer());
    case ValueKind::real: return bind(place, scalar.real());
    default: return bind(place, std::string_view(scalar.text()));
  }
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

int Statement::parameter_count() const {
  return sqlite3_bind_parameter_count(statement_.get());
}

std::string Statement::parameter_name(int place) const {
  const char* name = sqlite3_bind_parameter_name(statement_.get(), place);
  return name == nullptr ? "" : name;
}

int Statement::column_count() const {
  return sqlite3_column_count(statement_.get());
}

std::string Statement::column_name(int column) const {
  return sqlite3_column_name(statement_.get(), column);
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

std::string Statement::blob_text(int column) const {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "X'";
  for (const char byte : this->text(column)) {
    text += digits[static_cast<unsigned char>(byte) >> 4U];
    text += digits[static_cast<unsigned char>(byte) & 15U];
  }
  return text + "'";
}

thread_local constinit MemoryLimit* MemoryLimit::current = nullptr;

// SQLite's own allocator, with a look at what the thread has left.
struct MeteredMemory {
  static sqlite3_mem_methods plain;

  static bool take(std::int64_t bytes) {
    MemoryLimit* limit = MemoryLimit::current;
    if (limit == nullptr) return true;
    if (bytes > limit->left_) {
      limit->is_reached_ = true;
      return false;
    }
    limit->left_ -= bytes;
    return true;
  }
  static void give_back(std::int64_t bytes) {
    if (MemoryLimit::current != nullptr) MemoryLimit::current->left_ += bytes;
  }
  static void* allocate(int bytes) {
    if (!take(bytes)) return nullptr;
    void* const memory = plain.xMalloc(bytes);
    // What was taken is what will be given back.
    give_back(memory == nullptr ? bytes : bytes - plain.xSize(memory));
    return memory;
  }
  static void* change(void* memory, int bytes) {
    const std::int64_t before = plain.xSize(memory);
    if (!take(bytes - before)) return nullptr;
    void* const changed = plain.xRealloc(memory, bytes);
    give_back(changed == nullptr ? bytes - before : bytes - plain.xSize(changed));
    return changed;
  }
  static void release(void* memory) {
    if (memory != nullptr) give_back(plain.xSize(memory));
    plain.xFree(memory);
  }
  // Once, before SQLite is used at all.
  static bool install() {
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain) != SQLITE_OK) return false;
    sqlite3_mem_methods metered = plain;
    metered.xMalloc = allocate;
    metered.xRealloc = change;
    metered.xFree = release;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &metered) == SQLITE_OK;
  }
};

sqlite3_mem_methods MeteredMemory::plain{};

MemoryLimit::MemoryLimit(std::uint64_t bytes)
    : left_(static_cast<std::int64_t>(
          std::min<std::uint64_t>(bytes, std::numeric_limits<std::int64_t>::max()))),
      outer_(std::exchange(current, this)) {}

MemoryLimit::~MemoryLimit() {
  current = outer_;
}

void Connection::Close::operator()(sqlite3* connection) const {
  sqlite3_close(connection);
}

Connection::Connection(const std::string& path, Opening opening) {
  [[maybe_unused]] static const bool is_metered = MeteredMemory::install();
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
  constexpr int steps = 1'000;  // of SQLite's machine: far below a millisecond
  is_enough_ = std::make_unique<std::function<bool()>>(std::move(is_enough));
  const auto ask = [](void* asked) {
    return (*static_cast<std::function<bool()>*>(asked))() ? 1 : 0;
  };
  sqlite3_progress_handler(connection_.get(), steps, ask, is_enough_.get());
}

namespace {

// What an action is called for whoever asked for it.
std::string_view name_of_action(int action) {
  switch (action) {
    case SQLITE_ATTACH: return "ATTACH";
    case SQLITE_DETACH: return "DETACH";
    case SQLITE_PRAGMA: return "PRAGMA";
    case SQLITE_INSERT: return "INSERT";
    case SQLITE_UPDATE: return "UPDATE";
    case SQLITE_DELETE: return "DELETE";
    case SQLITE_TRANSACTION: return "a transaction";
    case SQLITE_SAVEPOINT: return "SAVEPOINT";
    case SQLITE_REINDEX: return "REINDEX";
    case SQLITE_ANALYZE: return "ANALYZE";
    case SQLITE_ALTER_TABLE: return "ALTER TABLE";
    default: return "CREATE or DROP";
  }
}

// Functions that load code, hand out pointers or write to a log.
bool reaches_out(std::string_view function) {
  constexpr std::array<std::string_view, 4> names{
      "load_extension", "fts3_tokenizer", "fts5", "sqlite_log"};
  return std::ranges::any_of(names, [&](std::string_view name) {
    return sqlite3_strnicmp(name.data(), function.data(), static_cast<int>(name.size())) == 0 &&
           name.size() == function.size();
  });
}

// Whether a name is that of a subquery, of which no column is read. SQLite's own tables have names
// by which they are told.
bool is_name_in_query(std::string_view table, std::string_view column) {
  const auto begins = [&](std::string_view start) {
    return sqlite3_strnicmp(table.data(), start.data(), static_cast<int>(start.size())) == 0;
  };
  return column.empty() && !begins("sqlite_") && !begins("pragma_");
}

int judge_action(void* context,
                 int action,
                 const char* first,
                 const char* second,
                 const char* /*database*/,
                 const char* /*trigger*/) noexcept {
  auto& rules = *static_cast<Connection::ReadOnly*>(context);
  try {
    std::string refused;
    if (rules.is_declaring) return SQLITE_OK;
    switch (action) {
      case SQLITE_SELECT:
      case SQLITE_RECURSIVE: return SQLITE_OK;
      case SQLITE_READ:
        if (rules.may_read(first) || is_name_in_query(first, second)) return SQLITE_OK;
        refused = std::string("the table ") + first;
        break;
      case SQLITE_FUNCTION:
        if (!reaches_out(second)) return SQLITE_OK;
        refused = std::string("the function ") + second;
        break;
      default: refused = name_of_action(action);
    }
    if (rules.refused.empty()) rules.refused = std::move(refused);
  } catch (...) {
    return SQLITE_DENY;
  }
  return SQLITE_DENY;
}

}  // namespace

void Connection::allow_only_reading(ReadOnly& rules) {
  // Sorting and temporary tables stay in memory, which is bounded.
  execute("PRAGMA temp_store = MEMORY; PRAGMA query_only = ON; PRAGMA trusted_schema = OFF");
  sqlite3* const connection = connection_.get();
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  // One function over one value is not interrupted: values are short enough to end soon.
  constexpr int longest_value = 32 << 20;
  constexpr int longest_statement = 1 << 20;
  constexpr int longest_pattern = 256;
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, longest_value);
  sqlite3_limit(connection, SQLITE_LIMIT_SQL_LENGTH, longest_statement);
  sqlite3_limit(connection, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, longest_pattern);
  sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(connection, SQLITE_LIMIT_WORKER_THREADS, 0);
  // Of the tables that SQLite has built in there are those of JSON left, declared by being named.
  std::array<const char*, 3> kept{"json_each", "json_tree", nullptr};
  sqlite3_drop_modules(connection, kept.data());
  (void)prepare("SELECT 1 FROM json_each('[]'), json_tree('[]')");
  sqlite3_set_authorizer(connection, judge_action, &rules);
}

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

fts5_api* fts5_of(const Connection& connection) {
  fts5_api* api = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(connection.handle(), "SELECT fts5(?1)", -1, &statement, nullptr) ==
      SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, static_cast<void*>(&api), "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  if (api == nullptr) throw Failure("SQLite has no FTS5");
  return api;
}

namespace {

// A tokenizer keeps nothing of its own: what splits the text is one for the connection.
int make_tokenizer(void* context, const char**, int, Fts5Tokenizer** made) noexcept {
  *made = static_cast<Fts5Tokenizer*>(context);
  return SQLITE_OK;
}

void drop_tokenizer(Fts5Tokenizer*) noexcept {}

// What is thrown may not pass the functions of SQLite.
int tokenize(Fts5Tokenizer* tokenizer,
             void* context,
             int flags,
             const char* text,
             int length,
             int (*take)(void*, int, const char*, int, int, int)) noexcept {
  int outcome = SQLITE_OK;
  try {
    const auto& split = *reinterpret_cast<const Connection::SplitText*>(tokenizer);
    const bool is_asked = (flags & FTS5_TOKENIZE_QUERY) != 0;
    const Connection::TakeWord give =
        [&](std::string_view word, std::size_t begin, std::size_t end, Connection::Place place) {
          outcome = take(context,
                         place == Connection::Place::same ? FTS5_TOKEN_COLOCATED : 0,
                         word.data(),
                         static_cast<int>(word.size()),
                         static_cast<int>(begin),
                         static_cast<int>(end));
          return outcome == SQLITE_OK;
        };
    split({text, static_cast<std::size_t>(length)},
          is_asked ? Connection::WordsOf::question : Connection::WordsOf::document,
          give);
  } catch (...) {
    return SQLITE_NOMEM;
  }
  return outcome;
}

}  // namespace

void Connection::add_tokenizer(const std::string& name, SplitText split) {
  fts5_api* const api = fts5_of(*this);
  tokenizers_.push_back(std::make_unique<SplitText>(std::move(split)));
  fts5_tokenizer functions{make_tokenizer, drop_tokenizer, tokenize};
  void* const context = tokenizers_.back().get();
  if (api->xCreateTokenizer(api, name.c_str(), context, &functions, nullptr) != SQLITE_OK)
    fail(connection_.get());
}

}  // namespace notesdb::sqlite
