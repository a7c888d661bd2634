// Fuzzing a conversation: each line is a message to a server with one tool. Every request gets one
// answer, which is JSON; nothing else does.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fuzz/claim.h"
#include "mcp/server.h"
#include "mcp/session.h"

using namespace notesdb::mcp;  // NOLINT(google-build-using-namespace): a program of one file

namespace {

class Silent : public Outbox {
 public:
  bool send(const std::string& /*message*/) override { return true; }
  bool closed() override { return false; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Server server({.info = {"fuzzed", "fuzzed", "1", ""}, .instructions = ""});
  const auto session = std::make_shared<Session>();
  const auto outbox = std::make_shared<Silent>();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    Accepted accepted =
        server.accept(text.substr(0, end), {.session = session, .limits = {}, .can_answer = false});
    const Reply reply = server.complete(accepted, outbox);
    require(reply.text.empty() || read_json(reply.text).ok());
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
  server.end(*session);
  return 0;
}
