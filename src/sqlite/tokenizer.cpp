#include "sqlite/tokenizer.h"

#include <exception>

#include <sqlite3.h>

namespace notesdb::sqlite {
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
