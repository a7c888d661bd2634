#include "serving/confirmation.h"

#include <memory>

#include <catch2/catch.hpp>

namespace notesdb {
namespace {

Result<std::optional<Destruction>> destroys_rows(const Value&, Workspace&, const Rehearsal&) {
  return std::optional(Destruction{"This deletes 12 rows.", 12});
}

Result<std::optional<Destruction>> cannot_be_done(const Value&, Workspace&, const Rehearsal&) {
  return Error{ErrorCode::unknown_row, "unknown row 'a'", Map{}};
}

Operation dangerous() {
  Operation operation;
  operation.destroys = destroys_rows;
  return operation;
}

// A workspace of no files: nothing here looks at any.
Context context_of(Confirm setting = Confirm::ask) {
  static const auto workspace_with = [](Confirm confirm) {
    Settings settings;
    settings.confirm.value = confirm;
    return std::make_unique<Workspace>(nullptr, settings);
  };
  static const auto ask = workspace_with(Confirm::ask);
  static const auto count = workspace_with(Confirm::expect_count);
  static const auto never = workspace_with(Confirm::never);
  return {.workspace = setting == Confirm::ask     ? *ask
                       : setting == Confirm::never ? *never
                                                   : *count};
}

std::unique_ptr<mcp::Call> call_of(const mcp::Json& capabilities) {
  mcp::Caller caller;
  caller.capabilities = capabilities;
  return std::make_unique<mcp::Call>(
      mcp::Message{}, std::move(caller), std::make_shared<mcp::Session>());
}

TEST_CASE("a harmless call goes on without a question", "[serving]") {
  auto call = call_of({{"elicitation", mcp::Json::object()}});
  CHECK_FALSE(confirm(Operation{}, Map{}, context_of(), *call));
}

TEST_CASE("a client that can ask is asked, and only Yes goes on", "[serving]") {
  auto call = call_of({{"elicitation", mcp::Json::object()}});
  auto first = confirm(dangerous(), Map{{"expect_count", 12}}, context_of(), *call);
  REQUIRE(first);
  REQUIRE(first->questions);
  CHECK(first->questions->questions.at(0).method == "elicitation/create");
  call->set_state(first->questions->state);
  call->add_answer("confirm", {{"action", "accept"}, {"content", {{"confirm", "No"}}}});
  auto no = confirm(dangerous(), Map{}, context_of(), *call);
  REQUIRE(no);
  CHECK(no->failed);
  call->add_answer("confirm", {{"action", "accept"}, {"content", {{"confirm", "Yes"}}}});
  CHECK_FALSE(confirm(dangerous(), Map{}, context_of(), *call));
}

TEST_CASE("a yes to nothing, or to another question, is no yes", "[serving]") {
  auto call = call_of({{"elicitation", mcp::Json::object()}});
  call->add_answer("confirm", {{"action", "accept"}, {"content", {{"confirm", "Yes"}}}});
  auto unasked = confirm(dangerous(), Map{}, context_of(), *call);
  REQUIRE(unasked);
  CHECK(unasked->questions);
  call->set_state({{"question", "This deletes 11 rows."}, {"asked_ms", 0}});
  auto of_another = confirm(dangerous(), Map{}, context_of(), *call);
  REQUIRE(of_another);
  CHECK(of_another->questions);
}

TEST_CASE("where nobody can be asked the call must say what it destroys", "[serving]") {
  auto call = call_of(mcp::Json::object());
  auto refused = confirm(dangerous(), Map{}, context_of(), *call);
  REQUIRE(refused);
  CHECK(refused->failed);
  CHECK(refused->json.find("expect_count 12") != std::string::npos);
  CHECK(refused->json.find("confirm") != std::string::npos);
  CHECK_FALSE(confirm(dangerous(), Map{{"expect_count", 12}}, context_of(), *call));
}

TEST_CASE("what would fail anyway is not asked about", "[serving]") {
  Operation operation;
  operation.destroys = cannot_be_done;
  auto call = call_of({{"elicitation", mcp::Json::object()}});
  const auto refused = confirm(operation, Map{}, context_of(), *call);
  REQUIRE(refused);
  CHECK(refused->failed);
  CHECK(refused->json.find("unknown_row") != std::string::npos);
}

TEST_CASE("a host that declines unseen does not decide, a person does", "[serving]") {
  auto call = call_of({{"elicitation", mcp::Json::object()}});
  const Map with_count{{"expect_count", 12}};
  auto asked = confirm(dangerous(), with_count, context_of(), *call);
  REQUIRE(asked);
  REQUIRE(asked->questions);
  call->set_state(asked->questions->state);
  call->add_answer("confirm", {{"action", "decline"}});
  const auto unseen = confirm(dangerous(), Map{}, context_of(), *call);
  REQUIRE(unseen);
  CHECK(unseen->json.find("expect_count 12") != std::string::npos);
  CHECK_FALSE(confirm(dangerous(), with_count, context_of(), *call));

  mcp::Json a_while_ago = asked->questions->state;
  a_while_ago["asked_ms"] = a_while_ago["asked_ms"].get<std::int64_t>() - 2'000;
  call->set_state(a_while_ago);
  const auto seen = confirm(dangerous(), with_count, context_of(), *call);
  REQUIRE(seen);
  CHECK(seen->json.find("cancelled") != std::string::npos);
}

TEST_CASE("the operator's setting wins over what the client can", "[serving]") {
  auto call = call_of({{"elicitation", mcp::Json::object()}});
  CHECK_FALSE(confirm(dangerous(), Map{}, context_of(Confirm::never), *call));
  const auto told = confirm(dangerous(), Map{}, context_of(Confirm::expect_count), *call);
  REQUIRE(told);
  CHECK(told->failed);
  CHECK_FALSE(
      confirm(dangerous(), Map{{"expect_count", 12}}, context_of(Confirm::expect_count), *call));
}

}  // namespace
}  // namespace notesdb
