// tools/list as hosts of every revision get it: what the contract says of the wire.
#include <functional>
#include <set>

#include <catch2/catch.hpp>

#include "serving/served.h"

namespace notesdb {
namespace {

using mcp::Json;

constexpr std::array<const char*, 4> handshakes = {
    "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};

Json tools_of(const Json& answer) {
  return answer["result"]["tools"];
}

std::vector<std::string> names_of(const Json& tools) {
  std::vector<std::string> names;
  for (const Json& tool : tools)
    names.push_back(tool["name"]);
  return names;
}

// Calls `visit` with every node of a schema and its place.
void walk(const Json& node,
          const std::string& place,
          const std::function<void(const Json&, const std::string&)>& visit) {
  visit(node, place);
  if (node.contains("items")) walk(node["items"], place + "[]", visit);
  for (const Json& choice : node.value("anyOf", Json::array()))
    walk(choice, place + "|", visit);
  const Json properties = node.value("properties", Json::object());
  for (const auto& [key, property] : properties.items())
    walk(property, place + "." + key, visit);
}

void check_node(const Json& node, const std::string& place) {
  INFO(place << ": " << node);
  CHECK(node.contains("type") != node.contains("anyOf"));
  if (node.contains("type")) CHECK(node["type"].is_string());
  for (const char* word : {"$ref", "$defs", "definitions", "oneOf", "allOf", "not"})
    CHECK_FALSE(node.contains(word));
  // An open map says nothing about its members; an empty list of them would close it for some.
  if (node.contains("properties")) CHECK_FALSE(node["properties"].empty());
}

TEST_CASE("every schema on the wire is an object, inline, and typed on every node", "[serving]") {
  Served served;
  for (const Json& tool : tools_of(served.modern("tools/list"))) {
    for (const char* which : {"inputSchema", "outputSchema"}) {
      CHECK(tool[which]["type"] == "object");
      CHECK_FALSE(tool[which].contains("anyOf"));
      walk(tool[which], tool["name"].get<std::string>() + " " + which, check_node);
    }
    CHECK(tool["inputSchema"]["additionalProperties"] == false);
  }
}

TEST_CASE("filters, sort and a filter's value are spelled as the contract has them", "[serving]") {
  Served served;
  std::size_t values = 0;
  for (const Json& tool : tools_of(served.modern("tools/list"))) {
    walk(tool["inputSchema"], tool["name"], [&](const Json& node, const std::string& place) {
      INFO(place);
      if (place.ends_with(".filters") || place.ends_with(".sort")) {
        REQUIRE(node["anyOf"].size() == 2);
        CHECK(node["anyOf"][0]["type"] == "array");
        CHECK(node["anyOf"][1]["type"] == "string");
      }
      if (place.ends_with(".fields")) CHECK_FALSE(node.contains("properties"));
      if (!place.ends_with(".filters|[].value")) return;
      ++values;
      const Json scalars =
          Json::parse(R"([{"type":"string"},{"type":"number"},{"type":"boolean"}])");
      Json expected = scalars;
      expected.push_back({{"type", "array"}, {"items", {{"anyOf", scalars}}}});
      CHECK(node["anyOf"] == expected);
    });
  }
  CHECK(values > 0);
}

TEST_CASE("every tool says what it is, in a list of less than 13,312 bytes", "[serving]") {
  Served served;
  const Json tools = tools_of(served.modern("tools/list"));
  CHECK(tools.dump().size() < 13'312);
  CHECK(names_of(tools).front() == "db_list");
  for (const Json& tool : tools) {
    INFO(tool["name"]);
    CHECK_FALSE(tool["title"].get<std::string>().empty());
    CHECK(tool["description"].get<std::string>().ends_with('.'));
    const Json& hints = tool["annotations"];
    CHECK(hints["openWorldHint"] == false);
    CHECK(hints["readOnlyHint"].get<bool>() != hints.contains("destructiveHint"));
  }
}

TEST_CASE("the list of tools is the same for every client that knows as much", "[serving]") {
  Served served;
  const Json now = tools_of(served.modern("tools/list"));
  for (const char* revision : handshakes) {
    INFO(revision);
    const Json then = tools_of(served.legacy(revision, "tools/list"));
    CHECK(names_of(then) == names_of(now));
    for (const Json& tool : then)
      CHECK(tool.contains("outputSchema") == (std::string(revision) >= "2025-06-18"));
  }
  CHECK(tools_of(served.legacy("2025-11-25", "tools/list")) == now);
  const Json other{{"elicitation", Json::object()}, {"sampling", Json::object()}};
  CHECK(tools_of(served.modern("tools/list", Json::object(), other)) == now);
}

TEST_CASE("a read-only server lists no writer and refuses each that is called anyway",
          "[serving]") {
  Served all;
  Served readers({}, /*read_only=*/true);
  const auto listed = names_of(tools_of(readers.modern("tools/list")));
  for (const Json& tool : tools_of(all.modern("tools/list"))) {
    const std::string name = tool["name"];
    INFO(name);
    const bool reads = tool["annotations"]["readOnlyHint"];
    CHECK(reads == (std::find(listed.begin(), listed.end(), name) != listed.end()));
    if (reads) continue;
    const Json refused = readers.call(name, {{"database_id", "stories"}});
    CHECK(refused["isError"] == true);
    CHECK(refused["content"][0]["text"].get<std::string>().find("read_only") != std::string::npos);
  }
}

}  // namespace
}  // namespace notesdb
