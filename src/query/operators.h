// Operators: what a filter can ask of a value, one table for every interface and every scan.
//
// A negated operator is true exactly where its positive one is false, so a missing field passes
// neq, not_contains and not_in, and nothing passes both.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "query/field.h"
#include "query/operand.h"

namespace notesdb {

enum class Sense { positive, negated };

// Whether a value that does not fit its column's type may match.
enum class Reach { every_value, fitting_values };

struct Operator {
  std::string_view name;
  std::string_view symbol;  // in --where; empty if none
  Operands operands;
  unsigned families;  // bits: those it suits
  Sense sense;
  Reach reach;
  // The positive question. A null is never asked, but for emptiness.
  bool (*holds)(const Value& value, const Operand& operand);

  bool suits(Family family) const;
};

// In the order of the contract.
std::span<const Operator> operators();
std::vector<std::string> operator_names();
const Operator* find_operator(std::string_view name);

// Fails with unknown_operator, naming the nearest.
Result<const Operator*> get_operator(std::string_view name);
// Fails with unknown_operator unless the operator suits the field, naming those that do.
Result<void> check_suits(const Operator& operation, const Field& field);

}  // namespace notesdb
