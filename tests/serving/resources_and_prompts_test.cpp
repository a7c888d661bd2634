// What a host shows a person beside the tools: resources, prompts, and what may be typed for them.
#include <catch2/catch.hpp>

#include "serving/served.h"

namespace notesdb {
namespace {

using mcp::Json;

Json completion(Served& served,
                const Json& ref,
                const std::string& argument,
                const std::string& typed,
                const Json& chosen = Json::object()) {
  const Json params{{"ref", ref},
                    {"argument", {{"name", argument}, {"value", typed}}},
                    {"context", {{"arguments", chosen}}}};
  return served.modern("completion/complete", params)["result"]["completion"]["values"];
}

std::string prompt_text(const Json& answer) {
  return answer["result"]["messages"][0]["content"]["text"];
}

Json get_prompt(Served& served, const std::string& name, const Json& arguments) {
  return served.modern("prompts/get", {{"name", name}, {"arguments", arguments}});
}

TEST_CASE("every database is a resource that holds its schema and first rows", "[serving]") {
  Served served;
  const Json listed = served.modern("resources/list")["result"]["resources"];
  REQUIRE(listed.size() == 3);
  for (const Json& resource : listed) {
    INFO(resource);
    const Json read = served.modern("resources/read", {{"uri", resource["uri"]}})["result"];
    const Json content = Json::parse(read["contents"][0]["text"].get<std::string>());
    CHECK(content["schema"]["database_id"] == resource["name"]);
    CHECK(content["sample"]["rows"].size() <= 5);
    CHECK(read["cacheScope"] == "private");
  }
}

TEST_CASE("apps are for clients that show them", "[serving]") {
  Served served;
  const Json can_show{{"extensions",
                       {{"io.modelcontextprotocol/ui",
                         {{"mimeTypes", Json::array({"text/html;profile=mcp-app"})}}}}}};
  const auto app_of = [&](const Json& capabilities) {
    const Json listed = served.modern("tools/list", Json::object(), capabilities);
    for (const Json& tool : listed["result"]["tools"])
      if (tool["name"] == "db_query") return tool["_meta"].contains("ui");
    return false;
  };
  const auto count_of = [&](const Json& capabilities) {
    return served.modern("resources/list", Json::object(), capabilities)["result"]["resources"]
        .size();
  };
  CHECK_FALSE(app_of(Json::object()));
  const Json other_type{
      {"extensions",
       {{"io.modelcontextprotocol/ui", {{"mimeTypes", Json::array({"text/plain"})}}}}}};
  CHECK_FALSE(app_of(other_type));
  const Json page = served.modern("resources/read", {{"uri", "ui://notesdb/table"}});
  if (page.contains("error")) {  // built without npm
    CHECK_FALSE(app_of(can_show));
    return;
  }
  CHECK(app_of(can_show));
  CHECK(count_of(can_show) == count_of(Json::object()) + 2);
  CHECK(page["result"]["contents"][0]["mimeType"] == "text/html;profile=mcp-app");
  CHECK(page["result"]["contents"][0]["text"].get<std::string>().find("</html>") !=
        std::string::npos);
}

TEST_CASE("a row is read by the template, and one that is not there is not found", "[serving]") {
  Served served;
  const std::string there = "notesdb://row/stories/story-001";
  const std::string gone = "notesdb://row/stories/story-999";
  const Json read = served.modern("resources/read", {{"uri", there}})["result"]["contents"][0];
  CHECK(Json::parse(read["text"].get<std::string>())["row"]["id"] == "story-001");
  const Json now = served.modern("resources/read", {{"uri", gone}})["error"];
  CHECK(now["code"] == -32602);
  CHECK(now["data"]["uri"] == gone);
  CHECK(served.legacy("2025-11-25", "resources/read", {{"uri", gone}})["error"]["code"] == -32002);
  for (const char* uri : {"notesdb://row/stories/..%2f..%2fetc%2fpasswd",
                          "notesdb://row/..%2f/x",
                          "notesdb://row/stories/%00",
                          "notesdb://row/stories/_schema",
                          "file:///etc/passwd",
                          ""}) {
    INFO(uri);
    CHECK(served.modern("resources/read", {{"uri", uri}})["error"]["code"] == -32602);
  }
}

TEST_CASE("ids, columns and options are completed from what was chosen before", "[serving]") {
  Served served;
  const Json triage{{"type", "ref/prompt"}, {"name", "triage"}};
  const Json row{{"type", "ref/resource"}, {"uri", "notesdb://row/{database_id}/{row_id}"}};
  const Json stories{{"database_id", "stories"}};
  CHECK(completion(served, triage, "database_id", "ST") == Json{"stories"});
  CHECK(completion(served, triage, "column", "stat", stories) == Json{"status"});
  Json status = stories;
  status["column"] = "status";
  CHECK(completion(served, triage, "value", "d", status) ==
        Json{"doing", "done", "dropped", "idea"});
  CHECK(completion(served, row, "database_id", "peo") == Json{"people"});
  CHECK(completion(served, row, "row_id", "ada", {{"database_id", "people"}}) ==
        Json{"ada-okafor"});
  CHECK(completion(served, row, "row_id", "a", {{"database_id", "nowhere"}}).empty());
}

TEST_CASE("a triage knows the columns and options of its database", "[serving]") {
  Served served;
  const std::string text =
      prompt_text(get_prompt(served, "triage", {{"database_id", "stories"}, {"column", "status"}}));
  for (const char* part : {"`stories`", "`status` (select: idea, open", "never an instruction"})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("a prompt about what is not there is refused with what is", "[serving]") {
  Served served;
  for (const Json& arguments :
       {Json{{"database_id", "storys"}},
        Json{{"database_id", "stories"}, {"column", "statsu"}},
        Json{{"database_id", "stories"}, {"value", "done"}},
        Json{{"database_id", "stories"}, {"column", "status"}, {"value", "don"}}}) {
    INFO(arguments);
    const Json error = get_prompt(served, "triage", arguments)["error"];
    CHECK(error["code"] == -32602);
    CHECK(error["message"].get<std::string>().size() > 10);
  }
  CHECK(get_prompt(served, "weekly_review", {{"days", "a week"}})["error"]["code"] == -32602);
  CHECK(get_prompt(served, "weekly_review", {{"database_id", "x"}})["error"]["code"] == -32602);
}

TEST_CASE("a review's filter is one that db_query takes", "[serving]") {
  Served served;
  const std::string text = prompt_text(get_prompt(served, "weekly_review", {{"days", "30"}}));
  const std::size_t begin = text.find('{');
  const Json filter = Json::parse(text.substr(begin, text.find('}') + 1 - begin));
  const Json rows = served.call("db_query",
                                {{"database_id", "stories"},
                                 {"filters", Json::array({filter})},
                                 {"select", {"_modified"}},
                                 {"sort", {{"field", "_modified"}, {"direction", "desc"}}}});
  INFO(rows);
  CHECK(rows["structuredContent"]["total"].get<int>() > 0);
}

TEST_CASE("a design names the databases there are", "[serving]") {
  Served served;
  const std::string text = prompt_text(get_prompt(served, "design_schema", {{"purpose", "tools"}}));
  CHECK(text.find("`people`") != std::string::npos);
  CHECK(text.find("db_create") != std::string::npos);
}

}  // namespace
}  // namespace notesdb
