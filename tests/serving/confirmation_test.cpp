#include "serving/confirmation.h"

#include <memory>

#include <catch2/catch.hpp>

namespace notesdb {
namespace {

std::optional<Destruction> destroys_rows(const Value&, Workspace&) {
  return Destruction{"This deletes 12 rows.", "expect_count"};
}

Operation dangerous() {
  Operation operation;
  operation.destroys = destroys_rows;
  return operation;
}

// Of no files: nothing here looks at any.
Workspace& no_workspace() {
  static Workspace workspace(nullptr, Settings{});
  return workspace;
}

std::unique_ptr<mcp::Call> call_of(const mcp::Json& capabilities) {
  mcp::Caller caller;
  caller.capabilities = capabilities;
  return std::make_unique<mcp::Call>(
      mcp::Message{}, std::move(caller), std::make_shared<mcp::Session>());
}

TEST_CASE("a harmless call goes on without a question", "[serving]") {
  auto call = call_of({{"elicitation", mcp::Json::object()}});
  CHECK_FALSE(confirm(Operation{}, Map{}, no_workspace(), *call));
}

TEST_CASE("a client that can ask is asked, and only Yes goes on", "[serving]") {
  auto call = call_of({{"elicitation", mcp::Json::object()}});
  auto first = confirm(dangerous(), Map{{"expect_count", 12}}, no_workspace(), *call);
  REQUIRE(first);
  REQUIRE(first->questions);
  CHECK(first->questions->questions.at(0).method == "elicitation/create");
  call->set_state(first->questions->state);
  call->add_answer("confirm", {{"action", "accept"}, {"content", {{"confirm", "No"}}}});
  auto no = confirm(dangerous(), Map{}, no_workspace(), *call);
  REQUIRE(no);
  CHECK(no->failed);
  call->add_answer("confirm", {{"action", "decline"}});
  CHECK(confirm(dangerous(), Map{}, no_workspace(), *call)->failed);
  call->add_answer("confirm", {{"action", "accept"}, {"content", {{"confirm", "Yes"}}}});
  CHECK_FALSE(confirm(dangerous(), Map{}, no_workspace(), *call));
}

TEST_CASE("a yes to nothing, or to another question, is no yes", "[serving]") {
  auto call = call_of({{"elicitation", mcp::Json::object()}});
  call->add_answer("confirm", {{"action", "accept"}, {"content", {{"confirm", "Yes"}}}});
  auto unasked = confirm(dangerous(), Map{}, no_workspace(), *call);
  REQUIRE(unasked);
  CHECK(unasked->questions);
  call->set_state("This deletes 11 rows.");
  auto of_another = confirm(dangerous(), Map{}, no_workspace(), *call);
  REQUIRE(of_another);
  CHECK(of_another->questions);
}

TEST_CASE("where nobody can be asked the call must say what it destroys", "[serving]") {
  auto call = call_of(mcp::Json::object());
  auto refused = confirm(dangerous(), Map{}, no_workspace(), *call);
  REQUIRE(refused);
  CHECK(refused->failed);
  CHECK(refused->json.find("expect_count") != std::string::npos);
  CHECK_FALSE(confirm(dangerous(), Map{{"expect_count", 12}}, no_workspace(), *call));
}

}  // namespace
}  // namespace notesdb
