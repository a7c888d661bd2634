// Index file: what was learnt about a database's rows, kept between two commands.
//
// It lies under $XDG_CACHE_HOME/notesdb/, one file per database, and only saves time: every row in
// it is verified by its stat key before it counts. A file that is missing, truncated, corrupt, of
// another format or about another schema is as good as none. All numbers are little-endian, as
// this machine has them; another byte order reads another magic.
//
//   offset  size  header
//   0       8     magic     "notesdb\x1a"
//   8       4     format    index_format below
//   12      4     sections  how many there are
//   16      8     size      of the whole file
//   24      8     checksum  XXH3-64 of everything from offset 32 on
//   32      8     schema    etag of the schema by which rows were read (DatabaseFolder::reading_etag)
//   40      24*n  sections: kind (4), column (4), offset from the start (8), size (8)
//           ...   the sections, each at a multiple of 8
//
//   kind         column  holds
//   key          -       which database this is: root, id, schema file and version of notesdb
//   state        -       whether the table is worn, folders with their stat keys, issues of names,
//                       unreadable files (texts)
//   key_lists    -       the different lists of front matter keys (texts)
//   paths        -       the rows' paths, relative to the database, a NUL after each
//   facts        -       RowFacts of each row, 64 bytes (row_table.h)
//   codes        c       a number of 4 bytes for each row
//   ends         c       where each encoded of the column's dictionary ends, 8 bytes
//   fits         c       whether it is of the column's type, 1 byte
//   encoded_values    c       the encoded_values, one after the other (dictionary.h)
//
// Texts are numbers and strings one after the other: a number has 8 bytes, a string a number and
// its bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/etag.h"
#include "files/cache_file.h"

namespace notesdb {

// Raised whenever a byte of the file, or what the reader of rows makes of a file, changes meaning.
inline constexpr std::uint32_t index_format = 5;

enum class IndexSection : std::uint32_t {
  key,
  state,
  key_lists,
  paths,
  facts,
  codes,
  ends,
  fits,
  encoded_values
};

class IndexWriter {
 public:
  // The bytes must live until write().
  void add(IndexSection kind, std::size_t column, std::string_view bytes);
  template <typename T>
  void add(IndexSection kind, std::size_t column, std::span<const T> values) {
    add(kind,
        column,
        std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
  }
  void add_text(IndexSection kind, std::string text);

  // Replaces the file; whether it did.
  bool write(const std::string& path, Etag schema) const;

 private:
  struct Part {
    IndexSection kind;
    std::uint32_t column;
    std::string_view bytes;
  };
  std::vector<Part> parts_;
  std::deque<std::string> texts_;
};

class IndexFile {
 public:
  // A null pointer unless the file is whole and about this schema and key.
  static std::shared_ptr<IndexFile> open(const std::string& path,
                                         Etag schema,
                                         std::string_view key);

  // Empty where there is none.
  std::span<char> section(IndexSection kind, std::size_t column = 0) const;
  std::string_view text(IndexSection kind) const {
    const auto bytes = section(kind);
    return {bytes.data(), bytes.size()};
  }
  // MappedFile::give_back of values, which may lie elsewhere.
  template <typename T>
  void give_back(std::span<const T> values) const {
    file_->give_back({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  // Empty too unless the size is right.
  template <typename T>
  std::span<T> values(IndexSection kind, std::size_t column = 0) const {
    const auto bytes = section(kind, column);
    if (bytes.size() % sizeof(T) != 0) return {};
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

 private:
  std::shared_ptr<MappedFile> file_;
};

// Writing and reading the texts of a section.
class TextWriter {
 public:
  void put(std::int64_t number);
  void put(std::string_view text);
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// Reading past the end gives zeros and empty strings; is_whole() then says no.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : rest_(text) {}
  std::int64_t number();
  std::string text();
  bool is_whole() const { return is_whole_; }

 private:
  std::string_view rest_;
  bool is_whole_ = true;
};

}  // namespace notesdb
