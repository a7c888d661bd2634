// The schema that a folder of notes has already.
#include "infer/infer.h"

#include <algorithm>

#include "check/check.h"
#include "database/made_workspace.h"

namespace notesdb {
namespace {

// Ten notes, number `odd` with another front matter.
void write_notes(const MadeWorkspace& made,
                 const std::string& folder,
                 const std::string& fields,
                 int odd = 0,
                 const std::string& odd_fields = "") {
  for (int i = 1; i <= 10; ++i) {
    const std::string& text = i == odd ? odd_fields : fields;
    made.write(folder + "/n-" + std::to_string(i) + ".md", "---\n" + text + "---\n");
  }
}

Inferred inferred_from(MadeWorkspace& made, const std::string& folder) {
  auto inferred = infer(made.open(), folder);
  REQUIRE(inferred);
  return *inferred;
}

std::string type_of(const Inferred& inferred, std::string_view column) {
  const Column* found = inferred.schema.find(column);
  return found == nullptr ? "none" : std::string(name_of(found->type));
}

TEST_CASE("types are what most notes hold", "[infer]") {
  MadeWorkspace made;
  write_notes(made,
              "n",
              "title: A\nisbn: 0671037706\nversion: 1.10\nyear: 1965\nread: true\n"
              "on: 2026-01-31\nat: 2026-01-31 9:05\nsite: https://a.b/c\ntags: [x, y z, it]\n"
              "deep: {a: 1}\nquoted: \"7\"\nempty:\nnone: []\n");
  const Inferred inferred = inferred_from(made, "n");
  CHECK(type_of(inferred, "isbn") == "text");
  CHECK(type_of(inferred, "version") == "text");
  CHECK(type_of(inferred, "quoted") == "text");
  CHECK(type_of(inferred, "year") == "number");
  CHECK(type_of(inferred, "read") == "checkbox");
  CHECK(type_of(inferred, "on") == "date");
  CHECK(type_of(inferred, "at") == "datetime");
  CHECK(type_of(inferred, "site") == "url");
  CHECK(type_of(inferred, "deep") == "json");
  CHECK(type_of(inferred, "empty") == "text");
  CHECK(type_of(inferred, "none") == "list");
  CHECK(inferred.schema.find("title")->required);
  CHECK_FALSE(inferred.schema.find("empty")->required);
  CHECK(inferred.schema.columns.front().id == "title");
  CHECK(inferred.exceptions.empty());
}

TEST_CASE("values that are not as the others are listed with their places", "[infer]") {
  MadeWorkspace made;
  write_notes(made, "n", "title: A\nyear: 1965\n", 3, "title: A\nyear: 1965?\n");
  const Inferred inferred = inferred_from(made, "n");
  CHECK(type_of(inferred, "year") == "number");
  REQUIRE(inferred.exceptions.size() == 1);
  CHECK(to_text(inferred.exceptions[0]).starts_with("n/n-3.md:3:7: warning: year is \"1965?\""));
}

TEST_CASE("values that repeat are options, and another spelling is an exception", "[infer]") {
  MadeWorkspace made;
  for (int i = 0; i < 24; ++i) {
    const std::string status = i % 3 == 0 ? "open" : i % 3 == 1 ? "done" : "on hold";
    made.write("n/" + std::to_string(i) + ".md",
               "---\nstatus: " + (i == 7 ? "Done" : status) + "\nnote: n" + std::to_string(i) +
                   "\ntags: [" + status + ", x]\n---\n");
  }
  const Inferred inferred = inferred_from(made, "n");
  CHECK(type_of(inferred, "status") == "select");
  CHECK(inferred.schema.find("status")->options.size() == 3);
  CHECK(type_of(inferred, "note") == "text");
  CHECK(type_of(inferred, "tags") == "multi-select");
  REQUIRE(inferred.exceptions.size() == 1);
  CHECK(inferred.exceptions[0].path == "n/7.md");
}

TEST_CASE("links into another database are a relation to it", "[infer]") {
  MadeWorkspace made;
  made.write("people/_schema.md", "---\nname: P\ncolumns: []\n---\n");
  for (const char* name : {"anna", "ben", "cleo"})
    made.write(std::string("people/") + name + ".md", "---\n---\n");
  int i = 0;
  for (const char* by : {"anna", "\"[[ben]]\"", "cleo", "anna", "\"[[cleo|C.]]\""})
    made.write("books/b" + std::to_string(++i) + ".md", std::string("---\nby: ") + by + "\n---\n");
  const Inferred inferred = inferred_from(made, "books");
  CHECK(type_of(inferred, "by") == "relation");
  CHECK(inferred.schema.find("by")->target == "people");
}

TEST_CASE("the layout is the one that is there", "[infer]") {
  MadeWorkspace made;
  for (const char* id : {"git", "vim", "sed"}) {
    made.write(std::string("folders/") + id + "/index.md", "---\na: 1\n---\n");
    made.write(std::string("deep/x/") + id + ".md", "---\na: 1\n---\n");
    made.write(std::string("flat/") + id + ".md", "---\na: 1\n---\n");
    made.write(std::string("yaml/") + id + ".yaml", "a: 1\n");
  }
  for (int i = 0; i < 9; ++i)
    made.write("mixed/n" + std::to_string(i) + ".md", "---\na: 1\n---\n");
  made.write("mixed/settings.yaml", "b: 1\n");
  CHECK(inferred_from(made, "folders").schema.rows.layout == RowLayout::folder);
  CHECK(inferred_from(made, "folders").rows == 3);
  CHECK(inferred_from(made, "deep").schema.rows.include == std::vector<std::string>{"**/*.md"});
  CHECK(inferred_from(made, "flat").schema.rows.include.empty());
  CHECK(inferred_from(made, "yaml").rows == 3);
  CHECK(inferred_from(made, "mixed").schema.rows.include == std::vector<std::string>{"*.md"});
  CHECK(natural_databases(made.open().files(), ".")->folders ==
        std::vector<std::string>{"deep/x", "flat", "folders", "mixed", "yaml"});
}

TEST_CASE("writing makes the schema file and nothing else", "[infer]") {
  MadeWorkspace made;
  write_notes(made, "n", "title: A\nstatus: open\n");
  auto expected = made.files();
  const Inferred inferred = inferred_from(made, "n");
  CHECK(made.files() == expected);
  CHECK_FALSE(made.has_trace());

  const auto written = write_inferred(made.open(), {&inferred, 1});
  REQUIRE(written);
  expected["n/_schema.md"] = inferred.document;
  CHECK(made.files() == expected);
  CHECK(check(made.open(), {})->issues.empty());

  const auto again = infer(made.open(), "n");
  REQUIRE_FALSE(again);
  CHECK(again.error().code == ErrorCode::already_exists);
  REQUIRE(made.open().undo(written->change));
  expected.erase("n/_schema.md");
  CHECK(made.files() == expected);
}

TEST_CASE("a folder without notes and a name that is not a folder are refused", "[infer]") {
  MadeWorkspace made;
  made.write("empty/picture.png", "x");
  CHECK(infer(made.open(), "empty").error().code == ErrorCode::invalid_argument);
  CHECK(infer(made.open(), "../x").error().code == ErrorCode::path_not_allowed);
  CHECK_FALSE(infer(made.open(), "nowhere"));
}

}  // namespace
}  // namespace notesdb
