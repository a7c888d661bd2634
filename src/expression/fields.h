// Fields: what can be read of a value of an expression without a call, `due.year`, `file.name`, in
// one table from which evaluation, checks and docs follow. A new field is a row here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "expression/function.h"

namespace notesdb::expression {

struct Field {
  std::string_view name;
  Receiver receiver;
  std::string_view summary;
  Value (*get)(Evaluation& evaluation, const Value& self);
};

std::span<const Field> all_fields();
const Field* find_field(Receiver receiver, std::string_view name);
// That a file has no such field, and what is nearest; empty where it has.
std::string why_no_field_of_file(std::string_view name);

}  // namespace notesdb::expression
