// Tokenizer: a text as the words that FTS5 indexes, each folded and with its place in the text.
//
//   sqlite::Tokenizer words(connection, {"remove_diacritics", "2"});   // of unicode61
//   words.split(text, [&](std::string_view word, std::size_t begin, std::size_t end) { ... });
//
// Used by one thread at a time; it may not outlive its connection.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sqlite/connection.h"

namespace notesdb::sqlite {

class Tokenizer {
 public:
  // Fails where this SQLite has no FTS5.
  Tokenizer(const Connection& connection, const std::vector<std::string>& arguments);
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) = delete;
  ~Tokenizer();

  // False ends it. What it throws comes through.
  using Take = std::function<bool(std::string_view word, std::size_t begin, std::size_t end)>;
  void split(std::string_view text, const Take& take) const;

 private:
  struct Made;
  std::unique_ptr<Made> made_;
};

}  // namespace notesdb::sqlite
