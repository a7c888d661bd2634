// Tools called with arguments of every wrong kind: each answer is one a model can act on, and what
// is refused has changed nothing.
#include <random>

#include <catch2/catch.hpp>

#include "serving/served.h"

namespace notesdb {
namespace {

using mcp::Json;

constexpr std::uint64_t seeds = 8;
constexpr int calls_of_a_seed = 40;

class StrangeArguments {
 public:
  StrangeArguments(std::uint64_t seed, Json tools) : random_(seed), tools_(std::move(tools)) {}

  Json call() {
    const Json& tool = tools_[below(tools_.size())];
    const Json properties = tool["inputSchema"].value("properties", Json::object());
    Json arguments = Json::object();
    for (const auto& [name, schema] : properties.items())
      if (!once_in(3)) arguments[name] = once_in(2) ? fitting(name, schema) : anything();
    if (once_in(8)) arguments["x" + std::to_string(below(9))] = anything();
    return {{"name", tool["name"]}, {"arguments", arguments}};
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  bool once_in(std::size_t times) { return below(times) == 0; }

  Json fitting(const std::string& name, const Json& schema) {
    if (name == "database_id") return "stories";
    if (name == "row_id") return "story-00" + std::to_string(below(9));
    if (name == "filters")
      return Json::array({{{"field", "status"}, {"operator", "eq"}, {"value", anything()}}});
    if (name == "fields") return {{"title", anything()}, {"estimate", anything()}};
    if (name == "operations") {
      return Json::array(
          {{{"action", "insert"}, {"database_id", "people"}, {"fields", anything()}}});
    }
    if (schema.contains("enum")) return schema["enum"][below(schema["enum"].size())];
    const std::string type = schema.value("type", "");
    if (type == "integer") return below(20);
    if (type == "boolean") return once_in(2);
    if (type == "array") return Json::array({anything()});
    if (type == "object") return {{"a", anything()}};
    return "title";
  }

  Json anything() {
    switch (below(16)) {
      case 0: return nullptr;
      case 1: return once_in(2);
      case 2: return -1;
      case 3: return 2.5;
      case 4: return 9'223'372'036'854'775'807;
      case 5: return "";
      case 6: return "[{\"field\":";
      case 7: return "{\"a\":[1,2]}";
      case 8: return std::string("a\0\r\n---\n\xe2\x80\xae", 11);
      case 9: return std::string(5000, 'x');
      case 10: return "../../etc/passwd";
      case 11: return Json::array();
      case 12: return Json::array({Json::array({nullptr}), "a", 1});
      case 13: return Json::object();
      case 14: return {{"any", Json::array({Json::object()})}};
      default: return "today-1d";
    }
  }

  std::mt19937_64 random_;
  Json tools_;
};

void check_refusal(const Json& result) {
  const Json error = Json::parse(result["content"][0]["text"].get<std::string>());
  INFO(error);
  const Json& said = error.contains("error") ? error["error"] : error;
  CHECK(said["code"] != "internal");
  CHECK_FALSE(said["message"].get<std::string>().empty());
  CHECK(result["content"][0]["text"].get<std::string>().find("/tmp/") == std::string::npos);
  CHECK_FALSE(result.contains("structuredContent"));
}

// What the output schema promises is there, of its type.
void check_success(const Json& result, const Json& schema) {
  const Json& answer = result["structuredContent"];
  CHECK(Json::parse(result["content"][0]["text"].get<std::string>()) == answer);
  for (const auto& [name, promised] : schema["properties"].items()) {
    if (!answer.contains(name)) continue;
    INFO(name);
    const std::string type = promised["type"];
    CHECK(answer[name].is_object() == (type == "object"));
    CHECK(answer[name].is_array() == (type == "array"));
    CHECK(answer[name].is_string() == (type == "string"));
    CHECK(answer[name].is_number_integer() == (type == "integer"));
  }
}

TEST_CASE("strange arguments are refused in words, or mean something", "[serving]") {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Served served;
    const Json tools = served.modern("tools/list")["result"]["tools"];
    StrangeArguments strange(seed, tools);
    driving::Tree before = served.tree();
    for (int i = 0; i < calls_of_a_seed; ++i) {
      const Json call = strange.call();
      INFO("seed " << seed << ", call " << i << ": " << call.dump().substr(0, 2000));
      const Json answer = served.modern("tools/call", call);
      INFO(answer.dump().substr(0, 2000));
      REQUIRE(answer.contains("result"));
      const Json& result = answer["result"];
      const driving::Tree after = served.tree();
      if (result.value("isError", false)) {
        check_refusal(result);
        CHECK(driving::difference(before, after).empty());
      } else {
        const auto tool = std::find_if(tools.begin(), tools.end(), [&](const Json& known) {
          return known["name"] == call["name"];
        });
        check_success(result, (*tool)["outputSchema"]);
      }
      before = after;
    }
  }
}

}  // namespace
}  // namespace notesdb
