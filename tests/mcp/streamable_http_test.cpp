// What a POST is answered with, header by header, without a socket.
#include "mcp/streamable_http.h"

#include <atomic>
#include <thread>

#include <catch2/catch.hpp>

#include "mcp/base64.h"
#include "mcp/conversation.h"

namespace notesdb::mcp {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Client {
  std::unique_ptr<Server> server = fixture_server();
  StreamableHttp endpoint{*server};

  HttpAnswer post(const std::string& body, const Headers& headers) {
    HttpHeaders given;
    for (const auto& [name, value] : headers)
      given.add(name, value);
    return endpoint.post(given, body, [] { return false; });
  }
};

// The status, and the code of the error or 0.
std::pair<int, int> outcome(const HttpAnswer& answer) {
  const Json body = answer.body.empty() ? Json::object() : Json::parse(answer.body);
  return {answer.status, body.contains("error") ? body["error"]["code"].get<int>() : 0};
}

using Outcome = std::pair<int, int>;

Headers good(const std::string& method) {
  return {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}};
}

std::string claiming(const std::string& revision) {
  const Json meta{{"io.modelcontextprotocol/protocolVersion", revision},
                  {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
  return request_text(1, "tools/list", {{"_meta", meta}});
}

TEST_CASE("the headers of a modern request say what its body says", "[mcp]") {
  Client client;
  const std::string list = modern(1, "tools/list");
  CHECK(outcome(client.post(list, good("tools/list"))) == Outcome{200, 0});
  CHECK(outcome(client.post(list, {})) == Outcome{400, -32020});
  CHECK(outcome(client.post(list, {{"mcp-protocol-version", "2026-07-28"}})) ==
        Outcome{400, -32020});
  CHECK(outcome(client.post(list, good("tools/call"))) == Outcome{400, -32020});
  CHECK(outcome(client.post(list, good("Tools/List"))) == Outcome{400, -32020});
  CHECK(outcome(client.post(list, good(" tools/list "))) == Outcome{200, 0});
}

TEST_CASE("a revision is refused by what header and body make of it", "[mcp]") {
  Client client;
  const Headers header_now{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/list"}};
  const Headers header_odd{{"MCP-Protocol-Version", "v999"}, {"Mcp-Method", "tools/list"}};
  CHECK(outcome(client.post(claiming("v999"), header_now)) == Outcome{400, -32020});
  CHECK(outcome(client.post(claiming("v999"), header_odd)) == Outcome{400, -32022});
  const std::string unclaimed = request_text(1, "tools/list", Json::object());
  CHECK(outcome(client.post(unclaimed, header_now)) == Outcome{400, -32602});
  CHECK(outcome(client.post(unclaimed, header_odd)) == Outcome{400, -32022});
  CHECK(outcome(client.post(unclaimed, {})) == Outcome{200, 0});
  CHECK(outcome(client.post(unclaimed, {{"MCP-Protocol-Version", "2025-06-18"}})) ==
        Outcome{200, 0});
}

TEST_CASE("what is removed from the modern era is not found there", "[mcp]") {
  Client client;
  for (const char* method :
       {"initialize", "ping", "logging/setLevel", "resources/subscribe", "no"}) {
    INFO(method);
    CHECK(outcome(client.post(modern(1, method), good(method))) == Outcome{404, -32601});
  }
}

TEST_CASE("names in headers may be base64, and must then be", "[mcp]") {
  Client client;
  const std::string call = modern(1, "tools/call", {{"name", "test_simple_text"}});
  const auto named = [&](const std::string& name) {
    Headers headers = good("tools/call");
    headers.emplace_back("Mcp-Name", name);
    return outcome(client.post(call, headers));
  };
  CHECK(named("test_simple_text") == Outcome{200, 0});
  CHECK(named("=?base64?" + to_base64("test_simple_text") + "?=") == Outcome{200, 0});
  CHECK(named("=?base64?" + to_base64("test_image_content") + "?=") == Outcome{400, -32020});
  CHECK(named("=?base64?dGVzdF9zaW1wbGVfdGV4dA?=") == Outcome{400, -32020});
  CHECK(named("=?base64?dGVz*F9z?=") == Outcome{400, -32020});
  CHECK(named("=?BASE64?" + to_base64("test_simple_text") + "?=") == Outcome{400, -32020});
}

TEST_CASE("notifications and responses get 202 and no body", "[mcp]") {
  Client client;
  const std::string notice = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
  CHECK(outcome(client.post(notice, {})) == Outcome{202, 0});
  CHECK(client.post(notice, {}).body.empty());
  const std::string response = R"({"jsonrpc":"2.0","id":"ask-1","result":{}})";
  CHECK(outcome(client.post(response, {})) == Outcome{202, 0});
  CHECK(outcome(client.post(response, good("x"))).first == 400);
}

TEST_CASE("what is no message is refused with 400", "[mcp]") {
  Client client;
  CHECK(outcome(client.post("{", {})) == Outcome{400, -32700});
  CHECK(outcome(client.post("7", {})) == Outcome{400, -32600});
  CHECK(outcome(client.post("[]", {})) == Outcome{400, -32600});
  const std::string batch = "[" + request_text(1, "ping", Json::object()) + "]";
  CHECK(outcome(client.post(batch, {{"MCP-Protocol-Version", "2025-11-25"}})) ==
        Outcome{400, -32600});
  CHECK(client.post(batch, {}).body.starts_with("["));
}

TEST_CASE("a session is only for clients that can be asked, and one that is lost does without",
          "[mcp]") {
  Client client;
  const auto shake = [&](const Json& capabilities) {
    const Json params{{"protocolVersion", "2025-11-25"}, {"capabilities", capabilities}};
    return client.post(request_text(0, "initialize", params), {}).session_id;
  };
  CHECK(shake(Json::object()).empty());
  const std::string id = shake({{"elicitation", Json::object()}});
  CHECK(id.size() == 32);
  const std::string ping = request_text(1, "ping", Json::object());
  CHECK(client.post(ping, {{"Mcp-Session-Id", id}}).status == 200);
  CHECK(client.post(ping, {{"Mcp-Session-Id", "lost"}}).status == 200);
  for (int i = 0; i < 300; ++i)
    shake({{"elicitation", Json::object()}});
  // Sessions that were put out, or belonged to a server before this one, are served without.
  const HttpAnswer lost = client.post(ping, {{"Mcp-Session-Id", id}});
  CHECK(lost.status == 200);
  CHECK(lost.session_id.empty());
  const HttpAnswer listed =
      client.post(request_text(2, "tools/list", Json::object()),
                  {{"Mcp-Session-Id", id}, {"MCP-Protocol-Version", "2025-11-25"}});
  CHECK(listed.body.find("test_simple_text") != std::string::npos);
}

TEST_CASE("only what may say something first is an event stream", "[mcp]") {
  Client client;
  const Json with_token{{"name", "test_simple_text"}, {"_meta", {{"progressToken", 1}}}};
  CHECK(client.post(request_text(1, "tools/call", with_token), {}).stream);
  const Json without{{"name", "test_simple_text"}};
  CHECK_FALSE(client.post(request_text(1, "tools/call", without), {}).stream);
}

// Keeps what is written; never gone.
class Page : public EventSink {
 public:
  bool write(std::string_view bytes) override {
    text += bytes;
    begun = true;
    return true;
  }
  bool closed() override { return false; }

  std::string text;
  std::atomic<bool> begun = false;
};

TEST_CASE("a queue that has ended is written to its end and not waited for", "[mcp]") {
  Page page;
  EventQueue events;
  CHECK(events.send("first"));
  CHECK(events.send("last"));
  events.end();
  CHECK_FALSE(events.send("too late"));
  events.pump(page);
  CHECK(page.text == as_event("first") + as_event("last"));
}

TEST_CASE("an open subscription ends with its result when the server stops", "[mcp]") {
  Client client;
  const Json params{{"notifications", {{"resourcesListChanged", true}}}};
  const auto answer =
      client.post(modern("one", "subscriptions/listen", params), good("subscriptions/listen"));
  REQUIRE(answer.stream);
  Page page;
  std::thread served([&] { answer.stream(page); });
  while (!page.begun)
    std::this_thread::yield();
  client.endpoint.stop();
  served.join();
  CHECK(page.text.find("subscriptions/acknowledged") != std::string::npos);
  CHECK(page.text.find(R"("id":"one","result")") != std::string::npos);
  Page late;
  client.post(modern("two", "subscriptions/listen", params), good("subscriptions/listen"))
      .stream(late);
  CHECK(late.text.find("subscriptions/acknowledged") != std::string::npos);
}

TEST_CASE("changes of a resource are promised only where they can be told", "[mcp]") {
  Client client;
  const Json params{{"protocolVersion", "2025-11-25"}, {"capabilities", Json::object()}};
  const std::string hello = request_text(0, "initialize", params);
  const Json on_http = Json::parse(client.post(hello, {}).body)["result"]["capabilities"];
  CHECK_FALSE(on_http["resources"].contains("subscribe"));
  Conversation stdio(*client.server);
  CHECK(stdio.ask(hello)["result"]["capabilities"]["resources"]["subscribe"] == true);
  const std::string discover = modern(1, "server/discover");
  const Json modern_http = Json::parse(client.post(discover, good("server/discover")).body);
  CHECK(modern_http["result"]["capabilities"]["resources"]["subscribe"] == true);
}

}  // namespace
}  // namespace notesdb::mcp
