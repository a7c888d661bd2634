#include "mcp/json.h"

#include "json/json_value.h"

namespace notesdb::mcp {

Result<Json> read_json(std::string_view text, const JsonLimits& limits) {
  const Result<Value> value = parse_json(text, limits);
  if (!value) return value.error();
  return to_json_tree(*value, LargeNumbers::exact);
}

}  // namespace notesdb::mcp
