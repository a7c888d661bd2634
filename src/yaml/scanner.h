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
// agrees with what was found. Anything else, valid or not, is false, and yaml_reader.h takes it.
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

#include "yaml/key_tree.h"
#include "yaml/node.h"
#include "yaml/text_marks.h"

namespace notesdb {

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

}  // namespace notesdb
