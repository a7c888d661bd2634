// The order of values that is kept from one question to the next.
#include <catch2/catch.hpp>

#include "database/made_workspace.h"

namespace notesdb {
namespace {

std::string row_titled(const std::string& title) {
  return "---\ntitle: " + title + "\ncode: " + title + "\n---\n";
}

TEST_CASE("a sort finds the place of values that came after the first question", "[index]") {
  MadeWorkspace made;
  made.write("tasks/_schema.md", task_schema);
  for (const char* name : {"m", "c", "x", "null"})
    made.write(std::string("tasks/") + name + ".md", row_titled(name));
  made.open().stay();
  const auto ids = [&](Workspace& workspace) {
    const auto answer = (*workspace.get("tasks"))->query({.sort = Value("title")});
    std::string text;
    for (const Row& row : answer->rows)
      text += row.id + " ";
    return text;
  };
  REQUIRE(ids(made.open()) == "null c m x ");
  for (const char* name : {"a", "d", "z", "c2", "m"}) {
    made.write(std::string("tasks/") + name + "-late.md", row_titled(name));
    CHECK(ids(made.open()) == ids(*made.open_anew()));
  }
  made.write("tasks/c.md", row_titled("zz"));
  CHECK(ids(made.open()) == ids(*made.open_anew()));
}

TEST_CASE("a unique value is refused whenever it came, and free when its row is gone", "[index]") {
  MadeWorkspace made;
  made.write("tasks/_schema.md", task_schema);
  made.write("tasks/one.md", "---\ntitle: One\ncode: AA\n---\n");
  made.open().stay();
  const auto insert = [&](const std::string& code) {
    return made.writer("tasks").insert({.fields = {{"title", "New"}, {"code", code}}}).ok();
  };
  CHECK_FALSE(insert("AA"));
  made.write("tasks/two.md", "---\ntitle: Two\ncode: 'BB'\n---\n");
  CHECK_FALSE(insert("BB"));
  std::filesystem::remove(made.root() / "tasks/two.md");
  CHECK(insert("BB"));
  CHECK_FALSE(insert("BB"));
}

TEST_CASE("a row that is asked for by its id is found at either end", "[index]") {
  MadeWorkspace made;
  made.write("tasks/_schema.md", task_schema);
  for (const char* name : {"row-1", "row-2", "row-10"})
    made.write(std::string("tasks/") + name + ".md", row_titled(name));
  const auto count = [&](const char* id) {
    return made.database("tasks").query({.filters = triple("_id", "eq", id)})->total;
  };
  CHECK(count("row-1") == 1);
  CHECK(count("row-10") == 1);
  CHECK(count("row-3") == 0);
  CHECK(count("row-99") == 0);
  CHECK(count("a") == 0);
}

}  // namespace
}  // namespace notesdb
