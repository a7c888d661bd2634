// Operand: the value of a filter triple, read once into every form it may be compared in.
//
// Values are coerced only without loss: "7" is 7 for a number, "true" is true for a checkbox, 7
// is "7" for a text; "seven" for a number is refused. What a json value is compared with keeps
// all its forms, since each value there is compared by its own kind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/date.h"
#include "core/result.h"
#include "core/value.h"
#include "query/field.h"
#include "query/number.h"
#include "query/pattern.h"

namespace notesdb {

// What an operator takes.
enum class Operands {
  none,
  value,    // of the field's type; a list for a list
  part,     // a text to be found in a text, or one element of a list
  values,   // a list of values, or of elements
  pattern,  // RE2
};

struct Operand {
  std::optional<Number> number;
  std::optional<bool> boolean;
  std::optional<std::string> text;
  std::string folded;  // as text, for comparing without case
  std::optional<Timestamp> moment;
  std::optional<Value> whole;   // a list or map, compared as it stands
  std::vector<Operand> any_of;  // of `values`
  std::optional<Pattern> pattern;
  bool natural = false;  // row ids: row-9 before row-10

  // Whether both ask the same.
  friend bool operator==(const Operand&, const Operand&) = default;
};

// Fails with invalid_value or invalid_argument, naming the field and what it takes.
Result<Operand> parse_operand(const Value& given,
                              Operands operands,
                              const Field& field,
                              const Clock& clock);

}  // namespace notesdb
