// Validation: what a schema demands of the fields of its rows.
//
//   type      a value its column can hold; "7" is a number, "seven" is none
//   option    of a select or multi-select
//   required  present and not empty
//   range     min and max, of numbers and dates
//   pattern   RE2, found anywhere in the text unless it says ^ and $
//   unique    no other row has the same value          (over the whole table)
//   relation  the row it names exists                  (over other databases)
//
// A write is refused with every violation at once; in files that people have edited the same
// violations are issues. Pure, but for what tells whether a row exists.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/result.h"
#include "core/schema.h"
#include "query/pattern.h"

namespace notesdb {

struct Violation {
  std::string field;
  std::string rule;
  std::string message;  // one sentence that names the field
};

// Whether a row exists in a database.
using RowExists = std::function<bool(const std::string& database_id, const std::string& row_id)>;

// What patterns of a schema may take of the time of everybody who reads its rows: a limit for all
// values that one FieldRules looks at. Beyond it a value is not matched, which is a violation.
class PatternTime {
 public:
  // Whether the text matches; empty where there is no time left.
  std::optional<bool> matches(const Pattern& pattern, std::string_view text);

 private:
  std::atomic<std::int64_t> taken_ns_{0};
};

// The demands on single values, with patterns ready to be matched. Safe on several threads.
class FieldRules {
 public:
  explicit FieldRules(const Schema& schema);

  // What is wrong with a value that fits its column: option, required, range, pattern. A missing
  // value is an empty optional.
  std::vector<Violation> check(std::size_t column, const std::optional<Value>& value) const;

 private:
  void check_pattern(std::size_t column,
                     const Value& value,
                     std::vector<Violation>& violations) const;

  const Schema& schema_;
  std::vector<std::optional<Pattern>> patterns_;
  mutable PatternTime pattern_time_;
};

// A caller's value as its column holds it, converted without loss. Null stays null.
Result<Value> to_column_value(const Column& column, const Value& given);

// A caller's fields as the schema has them, and all that is wrong with them.
struct JudgedFields {
  Map fields;                 // those that are columns and convert
  std::vector<Error> errors;  // unknown fields, columns that are not written
  std::vector<Violation> violations;

  // Everything at once; only where something is wrong.
  std::optional<Error> refusal() const;
};

// `required` counts for what is given; null is given. Without `exists` relations are not judged.
JudgedFields judge_fields(const Schema& schema, const Map& given, const RowExists& exists = {});

// One violation for each that does not exist.
std::vector<Violation> check_relation(const Column& column,
                                      const Value& value,
                                      const RowExists& exists);

// invalid_value, with all messages and, in the data, `violations`: [{field, rule, message}].
Error refuse(const std::vector<Violation>& violations);

}  // namespace notesdb
