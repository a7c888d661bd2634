// Answers that fit a model's window: what is left out is said, and all of it can be had.
#include <catch2/catch.hpp>

#include "serving/served.h"

namespace notesdb {
namespace {

using mcp::Json;

constexpr std::size_t max_bytes = std::size_t{32} << 10;

std::string long_body() {
  std::string body;
  for (int i = 0; i < 3000; ++i)
    body += "Line " + std::to_string(i) + ": \"quoted\", ünlatin.\n";
  return body;
}

Served& with_long_rows(Served& served) {
  std::string row = "---\ntitle: Long\nstatus: idea\n---\n" + long_body();
  driving::write_bytes(served.root() / "stories/story-100.md", row);
  for (int i = 200; i < 500; ++i) {
    driving::write_bytes(
        served.root() / ("stories/story-" + std::to_string(i) + ".md"),
        "---\ntitle: " + std::string(200, 'x') + "\nstatus: dropped\n---\nShort.\n");
  }
  return served;
}

std::string text_of(const Json& result) {
  return result["content"][0]["text"];
}

TEST_CASE("a long body comes in parts that make up the whole", "[serving]") {
  Served served;
  with_long_rows(served);
  std::string body;
  Json arguments{{"database_id", "stories"}, {"row_id", "story-100"}};
  for (int parts = 1;; ++parts) {
    REQUIRE(parts < 50);
    const Json result = served.call("db_get_row", arguments);
    CHECK(text_of(result).size() <= max_bytes);
    const Json& row = result["structuredContent"]["row"];
    CHECK(row["body_total"] == long_body().size());
    CHECK(row["body_offset"] == body.size());
    CHECK(result["structuredContent"]["truncated"] == true);
    body += row["body"].get<std::string>();
    const std::string notice = result["structuredContent"]["notice"];
    if (body.size() >= long_body().size()) {
      CHECK(notice.find("gives the next") == std::string::npos);
      break;
    }
    CHECK(notice.find("body_offset " + std::to_string(body.size())) != std::string::npos);
    arguments["body_offset"] = body.size();
  }
  CHECK(body == long_body());
}

TEST_CASE("a short body is whole and says nothing of parts", "[serving]") {
  Served served;
  const Json answer = served.call(
      "db_get_row", {{"database_id", "stories"}, {"row_id", "story-003"}})["structuredContent"];
  CHECK_FALSE(answer.contains("truncated"));
  CHECK_FALSE(answer["row"].contains("body_total"));
}

TEST_CASE("no answer is longer than max_bytes, and pages laid end to end are the whole",
          "[serving]") {
  Served served;
  with_long_rows(served);
  for (const char* format : {"objects", "table"}) {
    Json arguments{{"database_id", "stories"}, {"limit", 100}, {"format", format}};
    std::size_t rows = 0;
    for (int pages = 1;; ++pages) {
      REQUIRE(pages < 50);
      const Json result = served.call("db_query", arguments);
      const Json& answer = result["structuredContent"];
      CHECK(text_of(result).size() <= max_bytes);
      rows += answer["returned"].get<std::size_t>();
      if (!answer.contains("next_offset")) break;
      arguments["offset"] = answer["next_offset"];
    }
    CHECK(rows == 313);
  }
}

TEST_CASE("bodies of a list are cut, and the notice names the rows", "[serving]") {
  Served served;
  with_long_rows(served);
  const Json filter{{"field", "_id"}, {"operator", "eq"}, {"value", "story-100"}};
  const Json result = served.call(
      "db_query", {{"database_id", "stories"}, {"include_body", true}, {"filters", filter}});
  const Json& answer = result["structuredContent"];
  CHECK(text_of(result).size() <= max_bytes);
  CHECK(answer["truncated"] == true);
  CHECK(answer["notice"].get<std::string>().find("'story-100'") != std::string::npos);
  const std::string part = answer["rows"][0]["body"];
  CHECK(long_body().starts_with(part));
}

TEST_CASE("what a write answers is cut as well, and the write is whole", "[serving]") {
  Served served;
  const Json result = served.call(
      "db_insert_row",
      {{"database_id", "stories"}, {"fields", {{"title", "Long"}}}, {"body", long_body()}});
  const Json& answer = result["structuredContent"];
  CHECK(text_of(result).size() <= max_bytes);
  CHECK(answer["row"]["body_total"] == long_body().size());
  const std::string id = answer["row"]["id"];
  CHECK(driving::read_bytes(served.root() / ("stories/" + id + ".md")).ends_with(long_body()));
}

}  // namespace
}  // namespace notesdb
