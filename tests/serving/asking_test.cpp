// A person's yes before many rows go, in both eras, on a real workspace.
#include <catch2/catch.hpp>

#include "serving/served.h"

namespace notesdb {
namespace {

using mcp::Json;

const Json can_be_asked{{"elicitation", Json::object()}};

// Makes twelve rows, and the call that would delete them.
Json deletion_of_twelve(Served& served) {
  Json inserts = Json::array();
  Json deletes = Json::array();
  for (int i = 0; i < 12; ++i) {
    const std::string id = "visitor-" + std::to_string(i);
    inserts.push_back({{"action", "insert"},
                       {"database_id", "people"},
                       {"row_id", id},
                       {"fields", {{"name", "Visitor " + std::to_string(i)}}}});
    deletes.push_back({{"action", "delete"}, {"database_id", "people"}, {"row_id", id}});
  }
  const Json made = served.call("db_batch", {{"operations", inserts}});
  INFO(made);
  REQUIRE_FALSE(made.contains("isError"));
  return {{"name", "db_batch"}, {"arguments", {{"operations", deletes}}}};
}

Json answered(Json call, const Json& asked, const char* says) {
  const Json response{{"action", "accept"}, {"content", {{"confirm", says}}}};
  call["inputResponses"] = {{"confirm", response}};
  call["requestState"] = asked["result"]["requestState"];
  return call;
}

TEST_CASE("a modern client is asked, and its yes deletes once what was asked about", "[serving]") {
  Served served;
  const Json call = deletion_of_twelve(served);
  const driving::Tree before = served.tree();
  const Json asked = served.modern("tools/call", call, can_be_asked);
  REQUIRE(asked["result"]["resultType"] == "input_required");
  const Json& question = asked["result"]["inputRequests"]["confirm"]["params"];
  CHECK(question["message"] == "This deletes 12 rows.");
  CHECK(question["requestedSchema"]["properties"]["confirm"]["enum"] == Json{"Yes", "No"});

  CHECK(served.modern(
            "tools/call", answered(call, asked, "No"), can_be_asked)["result"]["isError"] == true);
  // What was answered is over; a yes to it comes too late.
  CHECK(served.modern("tools/call", answered(call, asked, "Yes"), can_be_asked)["error"]["code"] ==
        -32602);
  CHECK(served.tree() == before);

  const Json asked_again = served.modern("tools/call", call, can_be_asked);
  Json other = answered(call, asked_again, "Yes");
  other["arguments"]["operations"].erase(0);
  CHECK(served.modern("tools/call", other, can_be_asked)["error"]["code"] == -32602);
  CHECK(served.tree() == before);

  const Json yes = answered(call, asked_again, "Yes");
  const Json done = served.modern("tools/call", yes, can_be_asked);
  INFO(done);
  CHECK(done["result"]["structuredContent"]["applied"] == 12);
  CHECK(served.tree().size() == before.size() - 12);
  CHECK(served.modern("tools/call", yes, can_be_asked)["error"]["code"] == -32602);
}

TEST_CASE("rows that go in several calls within an hour are counted together", "[serving]") {
  Served served;
  Json call = deletion_of_twelve(served);
  const Json all = call["arguments"]["operations"];
  Json first = Json::array();
  Json rest = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i)
    (i < all.size() / 2 ? first : rest).push_back(all[i]);
  call["arguments"]["operations"] = first;
  const Json done = served.modern("tools/call", call, can_be_asked);
  INFO(done);
  REQUIRE(done["result"]["structuredContent"]["applied"] == 6);
  call["arguments"]["operations"] = rest;
  const Json asked = served.modern("tools/call", call, can_be_asked);
  INFO(asked);
  REQUIRE(asked["result"]["resultType"] == "input_required");
  CHECK(asked["result"]["inputRequests"]["confirm"]["params"]["message"] ==
        "This deletes 6 rows, after 6 within the last hour.");
}

TEST_CASE("a yes that nobody was asked for is asked for", "[serving]") {
  Served served;
  Json call = deletion_of_twelve(served);
  const driving::Tree before = served.tree();
  call["inputResponses"] = {{"confirm", {{"action", "accept"}, {"content", {{"confirm", "Yes"}}}}}};
  const Json reply = served.modern("tools/call", call, can_be_asked);
  CHECK(reply["result"]["resultType"] == "input_required");
  CHECK(served.tree() == before);
}

TEST_CASE("every answer but yes leaves all rows where they are", "[serving]") {
  Served served;
  const Json call = deletion_of_twelve(served);
  const driving::Tree before = served.tree();
  for (const char* response : {R"({"action":"decline"})",
                               R"({"action":"cancel"})",
                               R"({"action":"accept"})",
                               R"({"action":"accept","content":{}})",
                               R"({"action":"accept","content":{"confirm":true}})",
                               R"({"action":7,"content":[]})",
                               R"({})"}) {
    INFO(response);
    const Json asked = served.modern("tools/call", call, can_be_asked);
    Json again = answered(call, asked, "");
    again["inputResponses"]["confirm"] = Json::parse(response);
    CHECK(served.modern("tools/call", again, can_be_asked)["result"]["isError"] == true);
    CHECK(served.tree() == before);
  }
}

TEST_CASE("a legacy client is asked while its call waits", "[serving]") {
  for (const char* revision : {"2025-06-18", "2025-11-25"}) {
    INFO(revision);
    Served served;
    const Json call = deletion_of_twelve(served);
    const driving::Tree before = served.tree();
    CHECK(served.legacy(revision, "tools/call", call, "No")["result"]["isError"] == true);
    CHECK(served.tree() == before);
    const Json done = served.legacy(revision, "tools/call", call, "Yes");
    INFO(done);
    CHECK_FALSE(done["result"].contains("isError"));
    CHECK(served.tree().size() == before.size() - 12);
  }
}

TEST_CASE("where nobody can be asked the call says how many rows it means", "[serving]") {
  for (const char* revision : {"2024-11-05", "2025-03-26", "2025-11-25", "2026-07-28"}) {
    INFO(revision);
    Served served;
    Json call = deletion_of_twelve(served);
    const driving::Tree before = served.tree();
    const auto ask = [&] {
      const bool modern = std::string(revision) == "2026-07-28";
      return modern ? served.modern("tools/call", call)
                    : served.legacy(revision, "tools/call", call);
    };
    const Json refused = ask();
    CHECK(refused["result"]["isError"] == true);
    CHECK(refused["result"]["content"][0]["text"].get<std::string>().find("expect_count") !=
          std::string::npos);
    CHECK(served.tree() == before);
    call["arguments"]["expect_count"] = 12;
    CHECK_FALSE(ask()["result"].contains("isError"));
    CHECK(served.tree().size() == before.size() - 12);
  }
}

TEST_CASE("a column goes with its values after a yes, and a dry run asks nobody", "[serving]") {
  Served served;
  const Json schema = served.call("db_get_schema", {{"database_id", "people"}});
  const Json etag = schema["structuredContent"]["etag"];
  const Json drop{{"action", "drop_column"}, {"column", "name"}};
  Json call{
      {"name", "db_alter"},
      {"arguments", {{"database_id", "people"}, {"etag", etag}, {"changes", Json::array({drop})}}}};
  const driving::Tree before = served.tree();
  const Json asked = served.modern("tools/call", call, can_be_asked);
  INFO(asked);
  REQUIRE(asked["result"]["resultType"] == "input_required");
  CHECK(
      asked["result"]["inputRequests"]["confirm"]["params"]["message"] ==
      "In 'people' this removes the column 'name' with its values in all rows and changes 8 rows.");
  CHECK(served.modern(
            "tools/call", answered(call, asked, "No"), can_be_asked)["result"]["isError"] == true);
  CHECK(served.tree() == before);
  Json dry = call;
  dry["arguments"]["dry_run"] = true;
  CHECK(served.modern("tools/call", dry, can_be_asked)["result"].contains("structuredContent"));
  const Json asked_again = served.modern("tools/call", call, can_be_asked);
  const Json done = served.modern("tools/call", answered(call, asked_again, "Yes"), can_be_asked);
  INFO(done);
  CHECK(done["result"]["structuredContent"]["altered"]["rows"] > 0);
}

}  // namespace
}  // namespace notesdb
