// Dictionary: the different values of one column, each with a code from 1 on.
//
// A value is kept as its encoded (encoded.h), the bytes that stand in the file, so that reading
// 100,000 files looks a encoded up and converts it only when it is new. Two encoded_values of one value
// ("7" and 7) have two codes, and so may two equal ones: what is mapped is searched only if it is
// small, since most questions add nothing, and a column of which hardly a value comes twice is not
// searched at all by a process that reads it once.
//
// Reading functions may be called from several threads while nothing is added.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/column.h"
#include "core/text.h"
#include "core/value.h"
#include "yaml/node.h"
#include "yaml/scalar.h"
#include "yaml/scanner.h"

namespace notesdb {

// EncodedValues: a field's value as the bytes that stand for it in its file, and what they mean.
//
//   "p" open          plain text                "d" a \"b\"     double quoted, as it stands
//   "l" p:anna p:ben  a list of scalars         "n" ...         anything else, as a Node
//   "e"               nothing                   "s" it''s       single quoted, as it stands
//
// The first byte, the mark, says how to read the others. A encoded holds all that a value depends
// on and nothing of the place where it stood.

// A encoded in two parts, so that a text can be looked up where it lies.
struct EncodedValue {
  char mark = 'e';
  std::string_view text;

  static EncodedValue of(std::string_view bytes) { return {bytes.front(), bytes.substr(1)}; }
  friend bool operator==(const EncodedValue& a, const EncodedValue& b) {
    return a.mark == b.mark && is_same_text(a.text, b.text);
  }
};

// Both lie in the text that was scanned, or in `scratch`.
EncodedValue encoded_value_of(const Scanner& scanner,
                              const ScannedField& field,
                              std::string& scratch);
EncodedValue encoded_value_of(const Node& node, std::string& scratch);

Reading read_encoded_value(const Column& column, const EncodedValue& encoded);
// read_encoded_value(...).fits(), without making the value.
bool encoded_value_fits(const Column& column, const EncodedValue& encoded);
// A value that is what stands in the file, letter for letter, with nothing to convert: a text; or a
// word for a boolean or a whole number that is spelled the same everywhere: true, -17.
struct PlainValue {
  std::string_view encoded;
  bool is_text = true;
};
// Nothing where the value must be made, by read_encoded_value().
std::optional<PlainValue> plain_value(const Column& column, const EncodedValue& encoded);

// A hash of a text, for tables in this process: it is never stored, and differs between machines.

// Both halves of the product, so that every bit of both words reaches every bit.
inline std::uint64_t mix_hash(std::uint64_t a, std::uint64_t b) {
  __extension__ using Product = unsigned __int128;
  const Product product = static_cast<Product>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

inline std::uint64_t hash_words(const EndWords& words, std::uint64_t seed) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
  return mix_hash(mix_hash(words.head ^ seed, words.tail ^ odd) ^ seed, odd);
}

// Every byte counts; the last words overlap those before.
inline std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = mix_hash(seed ^ 0xD1B54A32D192ED03, text.size() + 1);
  for (; text.size() > EndWords::whole; text.remove_prefix(EndWords::whole))
    hash = hash_words(end_words(text.data(), EndWords::whole), hash);
  return hash_words(end_words(text.data(), text.size()), hash);
}

class Dictionary {
 public:
  explicit Dictionary(Column column) : column_(std::move(column)) {}
  // For a copy of `original`, when it has its place: its encoded_values are its own from then on, but
  // for those that are mapped.
  void part_from(const Dictionary& original);

  // The code of a field as the scanner or as the full reader found it; added if it is new.
  std::uint32_t add(const Scanner& scanner, const ScannedField& field);
  std::uint32_t add(const Node& node);
  // Adds all of another dictionary of the same column; the result has the new code of each of its
  // codes, at [0] the 0 that stands for missing.
  std::vector<std::uint32_t> absorb(const Dictionary& other);

  std::uint32_t size() const {
    return static_cast<std::uint32_t>(base_.ends.size() + added_.ends.size());
  }
  Value value(std::uint32_t code) const;
  // What stands in the file, read as if no schema declared it.
  Value untyped(std::uint32_t code) const;
  // The same without making it, where it is what stands in the file; it lies in the dictionary.
  std::optional<PlainValue> plain(std::uint32_t code) const;
  // Whether the value is one of its column's type.
  bool fits(std::uint32_t code) const;
  std::size_t memory() const;

  // EncodedValues as an index file has them: where each ends in the block, and whether it fits.
  struct EncodedValues {
    std::span<const char> bytes{};
    std::span<const std::uint64_t> ends{};
    std::span<const std::uint8_t> fits{};
  };
  // Starts with these encoded_values, the codes 1 to n; nothing was added before. The memory must
  // outlive the dictionary, or its call of own().
  void map(const EncodedValues& encoded_values) { base_ = encoded_values; }
  // All encoded_values in one piece; they lie in the dictionary from then on. What is added later is
  // searched for, since it is mostly a row that is read again.
  const EncodedValues& own();

 private:
  bool owns_base() const { return base_.bytes.data() == owned_base_.bytes.data(); }

  struct Block {
    std::string bytes;                // encoded_values, one after the other
    std::vector<std::uint64_t> ends;  // where each ends
    std::vector<std::uint8_t> fits;
  };

  std::string_view encoded(std::uint32_t code) const;
  // Where a encoded is, or would be.
  struct Place {
    std::uint64_t hash = 0;
    std::uint32_t slot = 0;
    std::uint32_t code = 0;  // 0: it is not there
  };
  Place find(const EncodedValue& wanted);
  // The code of a encoded; where it is new, fits() tells whether it fits.
  template <typename Fits>
  std::uint32_t put(const EncodedValue& encoded, const Fits& fits);
  std::uint32_t append(const EncodedValue& encoded, bool fits);
  bool is_worth_searching() const;
  std::uint32_t search(const Scanner& scanner, const ScannedField& field);
  std::uint32_t slot_mask() const { return static_cast<std::uint32_t>(slots_.size() - 1); }
  std::uint32_t slot_value(std::uint32_t code, std::uint64_t hash) const;
  void grow();

  // A short value as it was met last, so that it is found again without a look at the encoded_values.
  struct Met {
    EndWords words{};
    std::size_t size = 0;
    ScannedKind kind = ScannedKind::empty;
    std::uint32_t code = 0;  // 0: none was met yet
  };

  Column column_;
  EncodedValues base_;  // mapped, or what owned_base_ holds
  Block owned_base_;
  Block added_;                       // the codes after those of the base
  std::vector<std::uint32_t> slots_;  // codes by hash of their encoded (slot_value), 0 where free
  std::uint32_t first_searched_ = 1;  // the lowest code in the slots
  std::uint32_t sought_ = 0;
  std::uint32_t found_ = 0;  // of those sought
  bool is_own_ = false;
  std::vector<Met> met_;  // by a few bits of a hash
  std::string scratch_;
};

}  // namespace notesdb
