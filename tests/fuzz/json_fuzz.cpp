// Fuzzing JSON: the reader of the protocol and that of the commands agree on what is JSON, what is
// read is written as JSON again, and reading that gives the same.
#include <cstdint>
#include <string>

#include "fuzz/claim.h"
#include "json/json_value.h"
#include "mcp/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const auto value = notesdb::parse_json(text);
  const auto tree = notesdb::mcp::read_json(text);
  require(value.ok() == tree.ok());
  if (!value) {
    require(!value.error().message.empty() && !tree.error().message.empty());
    return 0;
  }
  const std::string written = notesdb::to_json(*value);
  const auto again = notesdb::parse_json(written);
  require(again.ok() && notesdb::to_json(*again) == written);
  return 0;
}
