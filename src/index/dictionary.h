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
#include "core/value.h"
#include "index/encoded_value.h"

namespace notesdb {

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
