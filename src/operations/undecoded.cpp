#include "operations/undecoded.h"

#include <utility>

#include "json/json_value.h"

namespace notesdb {

bool is_dry_run(const Value& arguments) {
  const Value* said = arguments.find("dry_run");
  return said != nullptr && (*said == Value(true) || *said == Value("true"));
}

List list_of(const Value& arguments, std::string_view name) {
  const Value* given = arguments.find(name);
  if (given == nullptr) return {};
  Value decoded = *given;
  if (given->is_text()) {
    Result<Value> parsed = parse_json(given->text());
    if (parsed) decoded = std::move(*parsed);
  }
  if (decoded.is_map()) return {std::move(decoded)};
  return decoded.is_list() ? decoded.list() : List{};
}

}  // namespace notesdb
