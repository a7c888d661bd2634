// Word rank: what a row is worth to a full-text question, as FTS5's bm25() tells it, in a fifth of
// the time.
//
//   sqlite::add_word_rank(connection, "word_rank", {10.0, 4.0, 1.0});
//   SELECT rowid, word_rank(notes) FROM notes WHERE notes MATCH ?        lower is better
//
// bm25() looks up how long each row is. Here the last byte of a row's number says that, to within
// two percent: numbers are made as `sequence * 256 + length_code(words)`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sqlite/connection.h"

namespace notesdb::sqlite {

std::uint8_t length_code(std::size_t words);

// `weights` of the columns, from the first on. Fails where this SQLite has no FTS5.
void add_word_rank(Connection& connection, const std::string& name, std::vector<double> weights);

}  // namespace notesdb::sqlite
