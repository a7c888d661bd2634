// Comparison: one total order over all values, for sorting, grouping and counting what differs.
//
//   missing, null < false < true < numbers < moments < text < lists < maps
//
// Within one column values are of one kind, but for those that do not fit it: these come together
// at one end. Numbers compare exactly, moments by calendar, text by code point (row ids
// naturally), lists element by element.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/value.h"
#include "query/field.h"
#include "query/number.h"

namespace notesdb {

// A value ready to be compared often.
struct Rank {
  enum class Kind : std::uint8_t { missing, boolean, number, moment, text, natural, list, map };

  Kind kind = Kind::missing;
  bool boolean = false;
  std::int64_t moment = 0;
  Number number;
  std::string text;  // of a map: its display
  std::vector<Rank> items;
};

// The rank of a value as `field` reads it.
Rank rank_of(const Value& value, const Field& field);

// Negative, 0 or positive.
int compare(const Rank& a, const Rank& b);

inline bool operator<(const Rank& a, const Rank& b) {
  return compare(a, b) < 0;
}
inline bool operator==(const Rank& a, const Rank& b) {
  return compare(a, b) == 0;
}

// Equal as filters mean it: 1 equals 1.0, also inside lists and maps; the order of keys does not
// count.
bool same_value(const Value& a, const Value& b);

}  // namespace notesdb
