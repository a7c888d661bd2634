// Asking a client in the middle of a call, in both eras.
#include <thread>

#include <catch2/catch.hpp>

#include "mcp/conversation.h"
#include "mcp/server.h"

namespace notesdb::mcp {
namespace {

const Json can_be_asked{{"elicitation", Json::object()}};

Json call_of(const std::string& tool, Json more = Json::object()) {
  more["name"] = tool;
  more["arguments"] = Json::object();
  return more;
}

Json accepted(const char* property, const char* value) {
  return {{"action", "accept"}, {"content", {{property, value}}}};
}

TEST_CASE("a modern call asks, and answers when it comes again with the answers", "[mcp]") {
  const auto server = fixture_server();
  Conversation client(*server);
  const std::string tool = "test_input_required_result_multi_round";
  Json reply = client.ask(modern(1, "tools/call", call_of(tool), can_be_asked));
  REQUIRE(reply["result"]["resultType"] == "input_required");
  CHECK(reply["result"]["inputRequests"]["step1"]["method"] == "elicitation/create");
  CHECK_FALSE(reply["result"].contains("ttlMs"));

  Json again{{"inputResponses", {{"step1", accepted("name", "Ada")}}},
             {"requestState", reply["result"]["requestState"]}};
  reply = client.ask(modern(2, "tools/call", call_of(tool, again), can_be_asked));
  REQUIRE(reply["result"]["resultType"] == "input_required");

  again = {{"inputResponses", {{"step2", accepted("color", "blue")}, {"unknown", Json::object()}}},
           {"requestState", reply["result"]["requestState"]}};
  reply = client.ask(modern(3, "tools/call", call_of(tool, again), can_be_asked));
  CHECK(reply["result"]["resultType"] == "complete");
  CHECK(reply["result"]["content"][0]["text"] == "Ada likes blue");
}

TEST_CASE("a state is good for its own request alone, and unchanged", "[mcp]") {
  const auto server = fixture_server();
  Conversation client(*server);
  const std::string tool = "test_input_required_result_request_state";
  const Json asked = client.ask(modern(1, "tools/call", call_of(tool), can_be_asked));
  const std::string state = asked["result"]["requestState"];
  std::string changed = state;
  changed[4] = changed[4] == 'A' ? 'B' : 'A';
  const Json answers{{"confirm", {{"action", "accept"}, {"content", {{"ok", true}}}}}};
  const auto retry = [&](const std::string& name, const std::string& with) {
    const Json again{{"inputResponses", answers}, {"requestState", with}};
    return client.ask(modern(2, "tools/call", call_of(name, again), can_be_asked));
  };
  CHECK(retry(tool, state)["result"]["content"][0]["text"] == "state-ok");
  CHECK(retry(tool, changed)["error"]["code"] == -32602);
  CHECK(retry(tool, "")["error"]["code"] == -32602);
  CHECK(retry("test_input_required_result_tampered_state", state)["error"]["code"] == -32602);
}

TEST_CASE("a modern client is not asked what it did not say it can answer", "[mcp]") {
  const auto server = fixture_server();
  Conversation client(*server);
  const Json reply =
      client.ask(modern(1, "tools/call", call_of("test_input_required_result_elicitation")));
  CHECK(reply["error"]["code"] == -32021);
  CHECK(reply["error"]["data"]["requiredCapabilities"] == can_be_asked);
}

// A legacy client on stdio is asked while its call waits: here a second thread answers.
TEST_CASE("a legacy client is asked over the wire while its call waits", "[mcp]") {
  const auto server = fixture_server();
  const auto session = std::make_shared<Session>();
  session->negotiate("2025-11-25", can_be_asked);
  class Answering : public Kept {
   public:
    Answering(Server& to, std::shared_ptr<Session> of) : server(to), session(std::move(of)) {}
    bool send(const std::string& message) override {
      const Json asked = Json::parse(message);
      const Json result = accepted("name", "Ada");
      const std::string text =
          to_text({{"jsonrpc", "2.0"}, {"id", asked["id"]}, {"result", result}});
      answering = std::thread([this, text] { server.accept(text, {session, nullptr, {}, true}); });
      return Kept::send(message);
    }
    Server& server;
    std::shared_ptr<Session> session;
    std::thread answering;
  };
  const auto outbox = std::make_shared<Answering>(*server, session);
  Accepted accepted_call = server->accept(
      request_text(1, "tools/call", call_of("test_input_required_result_elicitation")),
      {session, nullptr, {}, true});
  const Reply reply = server->complete(accepted_call, outbox);
  outbox->answering.join();
  CHECK(Json::parse(outbox->messages.front())["method"] == "elicitation/create");
  CHECK(Json::parse(reply.text)["result"]["content"][0]["text"] == "Hello, Ada!");
}

TEST_CASE("a legacy client that cannot be asked gets a failed result, not silence", "[mcp]") {
  const auto server = fixture_server();
  Conversation client(*server);
  client.session()->negotiate("2025-11-25", Json::object());
  const Json reply =
      client.ask(request_text(1, "tools/call", call_of("test_input_required_result_elicitation")));
  CHECK(reply["result"]["isError"] == true);
}

TEST_CASE("a state is given back once, to the request that asked", "[mcp]") {
  PendingQuestions pending;
  const std::string id = pending.keep({{"step", 1}}, "a");
  CHECK_FALSE(pending.take(id, "b"));
  CHECK((*pending.take(id, "a"))["step"] == 1);
  CHECK_FALSE(pending.take(id, "a"));
  CHECK_FALSE(PendingQuestions().take(pending.keep({}, "a"), "a"));
}

TEST_CASE("of the questions that nobody answers the oldest are forgotten", "[mcp]") {
  PendingQuestions pending;
  const std::string first = pending.keep(1, "a");
  const std::string second = pending.keep(2, "a");
  for (std::size_t i = 2; i <= PendingQuestions::max_count; ++i)
    pending.keep(3, "a");
  CHECK_FALSE(pending.take(first, "a"));
  CHECK(pending.take(second, "a") == Json(2));
}

TEST_CASE("a request is known again with its arguments in another order", "[mcp]") {
  const Json one{{"name", "t"}, {"arguments", {{"a", 1}, {"b", 2}}}};
  const Json other{{"name", "t"}, {"arguments", {{"b", 2}, {"a", 1}}}};
  const Json different{{"name", "t"}, {"arguments", {{"a", 1}, {"b", 3}}}};
  CHECK(request_key("tools/call", one) == request_key("tools/call", other));
  CHECK(request_key("tools/call", one) != request_key("tools/call", different));
}

}  // namespace
}  // namespace notesdb::mcp
