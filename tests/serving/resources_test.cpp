#include "serving/resources.h"

#include <catch2/catch.hpp>

namespace notesdb {
namespace {

TEST_CASE("every id survives its way through a uri", "[serving]") {
  for (const char* id : {"tasks", "work/tasks", ".", "a b", "é%/?#", "100%", "%41"}) {
    auto database = parse_resource_uri(database_uri(id));
    REQUIRE(database);
    CHECK(database->database_id == id);
    CHECK(database->row_id.empty());
    auto row = parse_resource_uri(row_uri(id, "2026/jan 1"));
    REQUIRE(row);
    CHECK(row->database_id == id);
    CHECK(row->row_id == "2026/jan 1");
  }
}

TEST_CASE("what is no uri of ours names nothing", "[serving]") {
  for (const char* uri : {"",
                          "file:///etc/passwd",
                          "notesdb://database/",
                          "notesdb://row/a",
                          "notesdb://row/a/",
                          "notesdb://row//b",
                          "notesdb://database/a/b",
                          "notesdb://database/%4",
                          "notesdb://database/%zz",
                          "notesdb://x/a"}) {
    INFO(uri);
    CHECK_FALSE(parse_resource_uri(uri));
  }
}

}  // namespace
}  // namespace notesdb
