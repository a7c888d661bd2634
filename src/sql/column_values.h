// ColumnValues: the values of one column as SQLite would have them in a table of its own, by the
// codes of the index.
//
// A value is made when it is asked for first, with what SQLite's affinity makes of it: a number in
// a TEXT column is its text, "7.0" in a NUMERIC one 7. Once a question looks a value up for the
// second time, the column is sorted, and looking up is a binary search.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/column.h"
#include "index/row_table.h"
#include "query/table.h"
#include "sqlite/virtual_table.h"

namespace notesdb {

enum class Affinity { text, numeric };

Affinity affinity_of(const Column& column);

// Whether a text may spell a number for SQLite, with spaces before it; no means that it does not.
bool may_be_number(std::string_view text);

// What SQLite keeps of a value in a column of its own.
class AffinityTable {
 public:
  // Null, a number or a text.
  Value stored(const Value& scalar, Affinity affinity);

 private:
  void open();

  std::unique_ptr<sqlite::Connection> file_;
  std::unique_ptr<sqlite::Statement> insert_;
  std::unique_ptr<sqlite::Statement> read_;
};

class ColumnValues {
 public:
  // Texts that lie in `rows` are left there.
  ColumnValues(const RowTable& rows,
               const Table& values,
               std::size_t place,
               const Column& column,
               AffinityTable& stored);

  Affinity affinity() const { return affinity_; }
  std::uint32_t code(std::uint32_t row) const { return codes_[row]; }
  // One more than the highest code.
  std::uint32_t code_count() const { return count_; }
  // Stays where it is; null for code 0.
  const sqlite::Scalar& of_code(std::uint32_t code) {
    const Block* const block = blocks_[code / block_size].get();
    const bool is_made = block != nullptr && block->is_made[code % block_size];
    return is_made ? block->values[code % block_size] : make(code);
  }
  const sqlite::Scalar& of_row(std::uint32_t row) { return of_code(codes_[row]); }

  // Whether looking up is worth while by now; counts how often it was asked.
  bool is_looked_up() { return ++looks_ > 1; }
  // The rows whose value compares as equal, ascending.
  std::vector<std::uint32_t> rows_with(const sqlite::Scalar& value);

 private:
  // A question may look at a few of very many values.
  static constexpr std::uint32_t block_size = 256;
  struct Block {
    std::array<sqlite::Scalar, block_size> values;
    std::bitset<block_size> is_made;
  };

  const sqlite::Scalar& make(std::uint32_t code);
  sqlite::Scalar scalar_of(std::uint32_t code);
  sqlite::Scalar keep(const Value& value);
  void sort();

  const RowTable& rows_;
  const Table& values_;
  std::size_t place_;
  const Column& column_;
  AffinityTable& stored_;
  Affinity affinity_;
  std::span<const std::uint32_t> codes_;
  std::uint32_t count_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::deque<std::string> texts_;
  int looks_ = 0;
  std::vector<std::uint32_t> sorted_;  // codes by their values, without those of null
  std::vector<std::uint32_t> first_;   // by code: where its rows begin among by_code_
  std::vector<std::uint32_t> by_code_;
};

}  // namespace notesdb
