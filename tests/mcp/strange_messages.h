// StrangeMessages: what a broken or hostile client may send, made at random from what good clients
// send. The same seed makes the same messages.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mcp/json.h"

namespace notesdb::mcp {

class StrangeMessages {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  explicit StrangeMessages(std::uint64_t seed) : random_(seed) {}

  // A good message with some of its members lost, doubled, of another type, or too deep.
  Json message();
  // The text of one, on one line, now and then with some of its bytes lost or changed.
  std::string text();
  // Headers for a message: those that suit it, with some missing, doubled or lying.
  Headers headers(const Json& message);

 private:
  std::size_t below(std::size_t bound);
  bool once_in(std::size_t times) { return below(times) == 0; }
  Json anything();
  void spoil(Json& node);
  void spoil_bytes(std::string& text);

  std::mt19937_64 random_;
};

}  // namespace notesdb::mcp
