// Scanner: reads the plain subset of YAML that nine rows of ten are written in, without
// allocating and without looking at what values mean.
//
//   # a comment                      title: 'It''s one line'     # quoted or not
//   status: open  # after a value   tags: [a, "b c"]
//   people:                          due:
//   - anna                           "an odd key": 1
//
// That is: keys at column 0, each once, scalars on one line, lists of such scalars, block or
// flow, comments and blank lines. Where it says true the text is valid YAML and every reader
// agrees with what was found. Anything else, valid or not, is false, and yaml/reader.h takes it.
//
// The fields are views into the text that was scanned and live as long as it does, until the
// next scan. Values are the raw bytes between their quotes, so that a caller with 100,000 files
// can look them up before anything is converted; decode_scalar gives the text they stand for.
// One Scanner may be used for any number of texts, by one thread at a time; it goes fastest over
// texts whose keys are alike, since it expects the keys that it has met.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "yaml/node.h"

namespace notesdb {

// TextMarks: where the few places that shape a text of YAML are, found for 64 bytes together.
//
//   title: A plan  # for now        tags:
//         ^        ^        ^            ^
//
// Marked are line ends, and where plain text cannot go on: at the space or the line end after a
// colon, which ended a key then, and at a hash after a space, which begins a comment. The bytes at
// a place and before it tell which it is. The end of the text is the last place, once.
class TextMarks {
 public:
  // A text of less than 4 GiB.
  void mark(std::string_view text);

  // The places, ascending, up to the one that is the size of the text.
  const std::uint32_t* places() const { return places_.data(); }

  // Whether there are bytes below 0x20 that are no line ends, and bytes from 0x80 on.
  bool has_controls() const { return has_controls_; }
  bool has_high_bytes() const { return has_high_bytes_; }

 private:
  std::vector<std::uint32_t> places_;  // only grows
  bool has_controls_ = false;
  bool has_high_bytes_ = false;
};

// KeyTree: the lists of keys that texts have begun with, as a tree, so that the keys of the next
// text are recognized instead of searched for.
//
//   (root) - id - title - status - due - url     a row
//                               \ url           one without a due date
//
//   tree.restart();
//   for (...) if (!tree.follow(key)) ...         // key by key
//   tree.place();                                // a number for the list of keys
//
// The tree stays small: a text whose keys do not fit in is lost from there on, and has no place.
class KeyTree {
 public:
  // Of a text that is lost.
  static constexpr std::uint32_t no_place = ~std::uint32_t{0};

  void restart() { place_ = 0; }

  // Continues to a key that stands in a text without quotes, if it has stood so before; whether it
  // has.
  bool follow(std::string_view key) {
    if (place_ == no_place || branches_.empty()) return false;
    for (std::uint32_t next = branches_[place_].first; next != 0; next = branches_[next].sibling) {
      if (!branches_[next].is_plain || !is_same_text(branches_[next].key, key)) continue;
      place_ = next;
      return true;
    }
    return false;
  }
  // Continues to a key; whether it has stood here before.
  bool take(std::string_view key, bool is_plain);
  // Adds a key that take() did not find, and continues to it.
  void add(std::string_view key, bool is_plain);

  // Texts with the same place have the same keys in the same order.
  std::uint32_t place() const { return place_; }

 private:
  struct Branch {
    std::string key;
    std::uint32_t first = 0;    // of the branches that go on from here
    std::uint32_t sibling = 0;  // the next that continues from where this does
    bool is_plain = false;      // it was met without quotes, so that its text alone shows it
  };

  std::vector<Branch> branches_;  // at 0 the root
  std::uint32_t place_ = 0;
};

enum class ScannedKind : std::uint8_t {
  empty,
  plain,
  single_quoted,
  double_quoted,
  block_list,
  flow_list
};

// One scalar. `raw` is what stands between the quotes, or the plain text without spaces around it.
struct ScannedScalar {
  std::string_view raw;
  ScannedKind kind = ScannedKind::empty;
  std::uint32_t line = 0;  // of the text, from 0
};

struct ScannedField {
  std::string_view key;    // as it reads: quotes around it are left out
  std::string_view value;  // of a scalar, raw; of a flow list, with its brackets; else empty
  ScannedKind kind = ScannedKind::empty;
  std::uint32_t line = 0;  // of the text, from 0
  std::uint32_t first_item = 0;
  std::uint32_t item_count = 0;
};

class Scanner {
 public:
  // Whether the text is within the plain subset. If not, the fields hold nothing of use.
  bool scan(std::string_view text);

  std::span<const ScannedField> fields() const { return fields_; }
  // A number for the keys in their order, the same for every text that has them so; KeyTree::
  // no_place where texts have had too many different ones.
  std::uint32_t shape() const { return keys_.place(); }
  // The items of a list, in order; a null item is of kind `empty`.
  std::span<const ScannedScalar> items(const ScannedField& field) const {
    return std::span(items_).subspan(field.first_item, field.item_count);
  }

 private:
  struct Cursor;
  inline bool scan_line(Cursor& at);
  inline bool scan_field(const Cursor& at);
  bool scan_item(Cursor& at, const char* dash);
  const char* scan_key(const Cursor& at, std::string_view& key);
  bool scan_scalar(const Cursor& at, const char* p, std::string_view& raw, ScannedKind& kind);
  bool scan_flow_list(ScannedField& field, const char* p, const char* end);
  bool add_key(std::string_view key, bool is_plain);

  TextMarks marks_;
  std::vector<ScannedField> fields_;
  std::vector<ScannedScalar> items_;
  KeyTree keys_;
};

// The text that a scalar of the plain subset stands for: quotes undone, `null` and `~` kept.
std::string decode_scalar(ScannedKind kind, std::string_view raw);

// A field as the full reader would give it. `text` is what was scanned; lines of the node count from `first_line`.
Node to_node(const Scanner& scanner,
             const ScannedField& field,
             std::string_view text,
             std::uint32_t first_line);

}  // namespace notesdb
