// The matches and counts that are kept from one question to the next.
#include <random>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"

namespace notesdb {
namespace {

constexpr int rows = 60;

std::string path_of(int row) {
  return "tasks/row-" + std::to_string(row) + ".md";
}

// A task of a few values of each column, some of them missing, null or of another type.
std::string any_task(std::mt19937& random) {
  const auto any = [&](std::initializer_list<const char*> lines) {
    return std::string(lines.begin()[random() % lines.size()]);
  };
  return "---\n" + any({"title: a\n", "title: b\n", "title: ''\n", "title: [x]\n", ""}) +
         any({"status: open\n", "status: done\n", "status: 'done'\n", "status: lost\n", ""}) +
         any({"estimate: 1\n", "estimate: 7\n", "estimate: '7'\n", "estimate: seven\n", ""}) +
         any({"due: 2026-01-02\n", "due: 2026-03-04\n", "due: null\n", "due: soon\n", ""}) +
         any({"tags: [a]\n", "tags: [b, a]\n", "tags: a\n", ""}) + "---\n";
}

Value by(const char* field, const char* direction) {
  return Map{{"field", field}, {"direction", direction}};
}

std::vector<QueryRequest> questions() {
  return {
      {.filters = triple("status", "eq", "done"), .sort = by("due", "asc"), .limit = 5},
      {.filters = triple("status", "neq", "done"), .sort = by("due", "desc")},
      {.filters = triple("estimate", "gte", 3), .sort = List{by("estimate", "desc"), "title"}},
      {.filters = triple("due", "is_empty", Value()), .sort = by("_id", "desc"), .offset = 3},
      {.filters = triple("tags", "contains", "a")},
      {.filters = triple("due", "lt", "today-1d"), .sort = by("tags", "asc")},
      {.filters = triple("title", "matches", "^[ab]"), .sort = by("status", "asc")},
      {.sort = List{by("title", "desc"), by("due", "asc")}},
      {.filters = triple("_modified", "lt", "now+1d"), .sort = by("_modified", "desc")},
      {.filters = triple("status", "eq", "no such"), .limit = 0},
  };
}

std::string shown(Workspace& workspace) {
  Database& database = **workspace.get("tasks");
  std::string text;
  for (const QueryRequest& question : questions()) {
    const auto answer = database.query(question);
    REQUIRE(answer);
    for (const Row& row : answer->rows)
      text += row.id + " ";
    text += std::to_string(answer->total) + " " + answer->hint + "\n";
  }
  for (const char* field : {"status", "estimate", "due", "tags"}) {
    const auto groups = database.aggregate({.group_by = {field}});
    REQUIRE(groups);
    for (const Map& group : groups->groups)
      text += to_display(group) + "\n";
  }
  return text;
}

TEST_CASE("a question that is asked again is answered as by a fresh read, whatever rows say now",
          "[index]") {
  std::mt19937 random(5);
  MadeWorkspace made;
  made.write("tasks/_schema.md", task_schema);
  for (int row = 0; row < rows; ++row)
    made.write(path_of(row), any_task(random));
  made.open().stay();
  for (int round = 0; round < 60; ++round) {
    for (auto edits = random() % 6; edits > 0; --edits)
      made.write(path_of(static_cast<int>(random() % rows)), any_task(random));
    // Now and then rows come and go, and all rows after them have other numbers.
    if (round % 10 == 7) std::filesystem::remove(made.root() / path_of(round));
    if (round % 10 == 9) made.write("tasks/new-" + std::to_string(round) + ".md", any_task(random));
    INFO("round " << round);
    REQUIRE(shown(made.open()) == shown(*made.open_anew()));
  }
}

}  // namespace
}  // namespace notesdb
