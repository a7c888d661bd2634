// RowReader: turns the bytes of row files into codes, one file after the other.
//
// The scanner takes the files it can (nine of ten) without allocating; the full reader takes the
// rest. Both lead to the same values. A reader is used by one thread at a time; what two of them
// have learnt is put together by absorb().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/schema.h"
#include "index/dictionary.h"
#include "index/index_file.h"
#include "index/key_lists.h"
#include "note/note.h"
#include "yaml/scanner.h"

namespace notesdb {

// What one file holds.
struct RowCodes {
  std::vector<std::uint32_t> codes;  // by column; 0: missing
  std::uint32_t keys = 0;            // its front matter keys, a code of KeyLists
  std::uint32_t broken = 0;          // how many issues it has as YAML
};

class RowReader {
 public:
  explicit RowReader(const Schema& schema);
  // One that knows the same and learns by itself; of a reader of the same schema.
  RowReader copy(const Schema& schema) const;

  // Reads a file into `row`. The error says why the row is unreadable.
  std::optional<Error> read(std::string_view bytes, NoteFormat format, RowCodes& row);

  const Dictionary& dictionary(std::size_t column) const { return dictionaries_[column]; }
  const KeyLists& key_lists() const { return key_lists_; }
  std::size_t memory() const;

  // What an index file keeps of it (index_file.h). map() says whether it fits together.
  bool map(const IndexFile& index);
  void save(IndexWriter& writer);
  void own();

  // Takes in what another reader of the same schema has learnt of a column, or of lists of keys;
  // [code] is the new code of one of its codes. Different columns may be taken in at once.
  std::vector<std::uint32_t> absorb_column(const RowReader& other, std::size_t column) {
    return dictionaries_[column].absorb(other.dictionaries_[column]);
  }
  std::vector<std::uint32_t> absorb_key_lists(const RowReader& other) {
    return key_lists_.absorb(other.key_lists_);
  }

 private:
  void read_scanned(RowCodes& row);
  std::uint32_t keys_of_scanned();
  std::optional<Error> read_fully(std::string_view bytes, NoteFormat format, RowCodes& row);

  std::vector<Dictionary> dictionaries_;
  KeyLists key_lists_;
  Scanner scanner_;
  std::vector<std::string_view> keys_;
  std::vector<std::uint32_t> key_lists_by_shape_;  // 0: not looked up yet
};

}  // namespace notesdb
