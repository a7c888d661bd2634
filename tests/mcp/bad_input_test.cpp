// Whatever arrives, the answer is one that the protocol knows, with the id of what it answers, and
// the next message is served. Each failure names the seed that makes its messages again.
#include <array>
#include <cstdlib>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "mcp/conversation.h"
#include "mcp/strange_messages.h"
#include "mcp/streamable_http.h"

namespace notesdb::mcp {
namespace {

constexpr std::uint64_t seeds = 15;
constexpr int messages_of_a_seed = 50;

const std::set<int> known_codes = {
    -32700, -32600, -32601, -32602, -32603, -32002, -32020, -32021, -32022};

bool is_id(const Json& json) {
  return json.is_string() || json.is_number_integer();
}

// What is said about one message, `sent` (discarded where it is no JSON).
void check_answer(const Json& answer, const Json& sent) {
  INFO("answer " << answer);
  REQUIRE(answer.is_object());
  CHECK(answer["jsonrpc"] == "2.0");
  CHECK(answer.contains("result") != answer.contains("error"));
  if (answer.contains("id")) {
    CHECK(is_id(answer["id"]));
    if (sent.is_object()) CHECK(answer["id"] == sent.value("id", Json()));
  } else {
    CHECK(answer.contains("error"));
  }
  if (answer.contains("error")) CHECK(known_codes.contains(answer["error"]["code"].get<int>()));
  if (sent.is_discarded()) CHECK(answer["error"]["code"] != -32603);
}

bool is_notification(const Json& sent) {
  return sent.is_object() && sent.value("jsonrpc", Json()) == "2.0" && !sent.contains("id") &&
         sent.contains("method") && sent["method"].is_string() &&
         sent["method"].get<std::string>().size() <= 256 &&
         (!sent.contains("params") || sent["params"].is_object());
}

// On stdio an error of a notification has nowhere to go.
void check_line(Server& server, const std::string& text) {
  Conversation client(server);
  const Json sent = Json::parse(text, nullptr, false);
  client.say(text);
  if (is_notification(sent)) {
    CHECK(client.next().is_null());
    return;
  }
  for (Json said = client.next(); !said.is_null(); said = client.next()) {
    if (said.is_array()) {
      for (const Json& answer : said)
        check_answer(answer, nullptr);
    } else if (!said.contains("method")) {
      check_answer(said, sent);
    }
  }
  server.end(*client.session());
}

TEST_CASE("strange lines are answered as the protocol says, and the next one is served", "[mcp]") {
  const auto server = fixture_server();
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    StrangeMessages messages(seed);
    for (int i = 0; i < messages_of_a_seed; ++i) {
      const std::string text = messages.text();
      INFO("seed " << seed << ", message " << i << ": " << text.substr(0, 400));
      check_line(*server, text);
    }
    Conversation next(*server);
    CHECK(next.ask(R"({"jsonrpc":"2.0","id":1,"method":"ping"})")["result"] == Json::object());
  }
}

// The client of an event stream, who has gone already.
class Gone : public EventSink {
 public:
  bool write(std::string_view bytes) override {
    written += bytes;
    return false;
  }
  bool closed() override { return true; }
  std::string written;
};

void check_post(StreamableHttp& endpoint,
                const StrangeMessages::Headers& headers,
                const Json& sent) {
  HttpHeaders given;
  for (const auto& [name, value] : headers)
    given.add(name, value);
  HttpAnswer answer = endpoint.post(given, to_text(sent), [] { return false; });
  INFO("status " << answer.status << ", body " << answer.body);
  CHECK(std::set{200, 202, 400, 404}.contains(answer.status));
  CHECK((answer.status == 202) == (answer.body.empty() && !answer.stream));
  if (answer.stream) {
    Gone client;
    answer.stream(client);
    CHECK(client.written.starts_with("event: message\ndata: {"));
  } else if (!answer.body.empty()) {
    const Json body = Json::parse(answer.body);
    for (const Json& one : body.is_array() ? body : Json::array({body}))
      check_answer(one, body.is_array() ? Json() : sent);
    if (answer.status >= 400) CHECK(body.contains("error"));
  }
}

TEST_CASE("strange posts are answered as the protocol says, and the next one is served", "[mcp]") {
  const auto server = fixture_server();
  StreamableHttp endpoint(*server);
  for (std::uint64_t seed = 1000; seed < 1000 + seeds; ++seed) {
    StrangeMessages messages(seed);
    for (int i = 0; i < messages_of_a_seed; ++i) {
      const Json sent = messages.message();
      const StrangeMessages::Headers headers = messages.headers(sent);
      INFO("seed " << seed << ", message " << i << ": " << to_text(sent).substr(0, 400));
      for (const auto& [name, value] : headers)
        UNSCOPED_INFO(name << ": " << value);
      check_post(endpoint, headers, sent);
    }
    check_post(endpoint, {}, Json::parse(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"));
  }
}

TEST_CASE("a header that lies is refused, whichever it is", "[mcp]") {
  const auto server = fixture_server();
  StreamableHttp endpoint(*server);
  const std::string call = modern(1, "tools/call", {{"name", "test_simple_text"}});
  const StrangeMessages::Headers honest = {{"MCP-Protocol-Version", "2026-07-28"},
                                           {"Mcp-Method", "tools/call"},
                                           {"Mcp-Name", "test_simple_text"}};
  const auto outcome = [&](const StrangeMessages::Headers& headers) {
    HttpHeaders given;
    for (const auto& [name, value] : headers)
      given.add(name, value);
    const HttpAnswer answer = endpoint.post(given, call, [] { return false; });
    return std::pair(answer.status, Json::parse(answer.body).value("/error/code"_json_pointer, 0));
  };
  CHECK(outcome(honest) == std::pair(200, 0));
  for (std::size_t i = 0; i < honest.size(); ++i) {
    INFO(honest[i].first);
    auto missing = honest;
    missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK(outcome(missing) == std::pair(400, -32020));
    for (const char* lie : {"", "2025-11-25", "ping", "=?base64?!?=", "\x01", "TOOLS/CALL"}) {
      auto lying = honest;
      lying[i].second = lie;
      CHECK(outcome(lying) == std::pair(400, -32020));
    }
    auto twice = honest;
    twice.push_back(honest[i]);
    CHECK(outcome(twice) == std::pair(400, -32020));
  }
}

}  // namespace
}  // namespace notesdb::mcp
