// Arguments: what one call brought, decoded and checked against the operation's list.
//
// Callers are forgiven what loses nothing: "10" for 10, JSON text for a list or a map (strict,
// decoded once), one thing where a list is expected, null and space for absent. Everything else is
// refused by name, all of it at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "operations/argument.h"

namespace notesdb {

class Arguments {
 public:
  // The values that are there, in the shapes of the operation's list; fallbacks filled in.
  explicit Arguments(Map values) : values_(std::move(values)) {}

  // The value, or a null pointer where the argument is absent.
  const Value* find(std::string_view name) const { return find_member(values_, name); }
  // A null value where it is absent.
  const Value& value(std::string_view name) const;

  // Empty where absent.
  std::string text(std::string_view name) const;
  std::optional<std::string> optional_text(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name) const;
  // False where absent.
  bool is_set(std::string_view name) const;
  std::vector<std::string> names(std::string_view name) const;

 private:
  Map values_;
};

// What could be decoded, and everything that could not: unknown, missing, of the wrong kind, out of
// range; each an invalid_argument.
struct Decoding {
  Arguments arguments;
  std::vector<Error> errors;
};
Decoding decode_arguments(const std::vector<Argument>& known, const Value& given, Door door);

}  // namespace notesdb
