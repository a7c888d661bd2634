// What a client of each revision is shown, and what it is spared.
#include <catch2/catch.hpp>

#include "mcp/conversation.h"

namespace notesdb::mcp {
namespace {

Json tool_seen_by(const std::string& revision, const std::string& name, bool plain_errors = false) {
  const auto server = fixture_server(plain_errors);
  Conversation client(*server);
  client.session()->negotiate(revision, Json::object());
  const Json reply = client.ask(request_text(1, "tools/list", Json::object()));
  for (const Json& tool : reply["result"]["tools"]) {
    if (tool["name"] == name) return tool;
  }
  return nullptr;
}

Json result_seen_by(const std::string& revision, const std::string& tool, bool plain = false) {
  const auto server = fixture_server(plain);
  Conversation client(*server);
  client.session()->negotiate(revision, Json::object());
  const Json arguments{{"region", "x"}};
  return client.ask(
      request_text(1, "tools/call", {{"name", tool}, {"arguments", arguments}}))["result"];
}

TEST_CASE("titles and output schemas begin with 2025-06-18, annotations with 2025-03-26", "[mcp]") {
  const std::string tool = "test_custom_header";
  CHECK_FALSE(tool_seen_by("2024-11-05", tool).contains("annotations"));
  CHECK(tool_seen_by("2025-03-26", tool).contains("annotations"));
  CHECK_FALSE(tool_seen_by("2025-03-26", tool).contains("outputSchema"));
  CHECK_FALSE(tool_seen_by("2025-03-26", tool).contains("title"));
  CHECK(tool_seen_by("2025-06-18", tool).contains("outputSchema"));
  CHECK(tool_seen_by("2025-06-18", tool).contains("title"));
}

TEST_CASE("a structured result is the same as its text, and older clients get the text", "[mcp]") {
  const Json now = result_seen_by("2025-11-25", "test_custom_header");
  CHECK(Json::parse(now["content"][0]["text"].get<std::string>()) == now["structuredContent"]);
  const Json then = result_seen_by("2025-03-26", "test_custom_header");
  CHECK_FALSE(then.contains("structuredContent"));
  CHECK(then["content"] == now["content"]);
}

TEST_CASE("a sound becomes text for a client that knows no sounds", "[mcp]") {
  CHECK(result_seen_by("2024-11-05", "test_audio_content")["content"][0]["type"] == "text");
  CHECK(result_seen_by("2025-03-26", "test_audio_content")["content"][0]["type"] == "audio");
}

TEST_CASE("legacy results carry nothing of the modern era", "[mcp]") {
  const Json result = result_seen_by("2025-11-25", "test_simple_text");
  CHECK_FALSE(result.contains("resultType"));
  CHECK_FALSE(result.contains("_meta"));
}

TEST_CASE("plain errors are ordinary results, and promise no output schema", "[mcp]") {
  CHECK(result_seen_by("2025-11-25", "test_error_handling")["isError"] == true);
  CHECK_FALSE(result_seen_by("2025-11-25", "test_error_handling", true).contains("isError"));
  CHECK_FALSE(tool_seen_by("2025-11-25", "test_custom_header", true).contains("outputSchema"));
}

}  // namespace
}  // namespace notesdb::mcp
