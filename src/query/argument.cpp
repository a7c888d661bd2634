#include "query/argument.h"

namespace notesdb {

bool is_absent(const Value& argument) {
  if (argument.is_text()) return argument.text().find_first_not_of(" \t\r\n") == std::string::npos;
  return argument.is_null();
}

std::span<const Value> elements_of(const Value& argument) {
  if (is_absent(argument)) return {};
  if (argument.is_list()) return argument.list();
  return {&argument, 1};
}

}  // namespace notesdb
