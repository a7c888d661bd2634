// Sealer: what a handler must remember between its questions and their answers, kept by the client,
// who can neither change it nor use it for another request nor after ten minutes.
//
//   base64(text) "." base64(HMAC-SHA-256(purpose, text)), text = {"until": seconds, "state": ...}
//
// The key lives as long as the process.
#pragma once

#include <optional>
#include <string>

#include "mcp/json.h"

namespace notesdb::mcp {

class Sealer {
 public:
  Sealer();

  // `purpose` says which request the state belongs to (see purpose_of).
  std::string seal(const Json& state, const std::string& purpose) const;
  // Empty if it was not sealed here for this purpose, or is too old.
  std::optional<Json> open(const std::string& sealed, const std::string& purpose) const;

 private:
  std::string sign(const std::string& text, const std::string& purpose) const;

  std::string key_;
};

// A digest of what makes two requests the same one: method, name and arguments.
std::string purpose_of(const std::string& method, const Json& params);

}  // namespace notesdb::mcp
