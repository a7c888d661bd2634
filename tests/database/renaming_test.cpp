// A row gets another id, and what names it follows.
#include <catch2/catch.hpp>

#include "database/made_workspace.h"

namespace notesdb {
namespace {

void write_people(const MadeWorkspace& made) {
  made.write("people/_schema.yaml",
             "name: P\ncolumns: [{id: name, type: text}, {id: boss, type: relation, target: "
             "people}]\n");
  made.write("people/ann.md", "---\nname: Ann\nboss: ann  # herself\n---\nI am [[ann]].\n");
  made.write("tasks/_schema.yaml",
             "name: T\ncolumns:\n- {id: owner, type: relation, target: people}\n- {id: team, type: "
             "relation, target: people, multiple: true}\n- {id: title, type: text}\n");
}

RowChange to_be_called(std::string_view old_id, std::string_view new_id) {
  RowChange change;
  change.row_id = old_id;
  change.new_row_id = new_id;
  return change;
}

TEST_CASE("every spelling of a reference follows a renamed row", "[database]") {
  MadeWorkspace made;
  write_people(made);
  made.write("tasks/1.md", "---\nowner: '[[ann|Ann]]'  # who\nteam: [ben, people/ann]\n---\n");
  made.write("tasks/2.md",
             "---\nowner: ../people/ann.md\ntitle: see [[people/ann]], ann\nseen: [\"[[ann]]\"]\n"
             "---\n[x](../people/ann.md#top \"t\") `[[ann]]` [[ann#Top|ann]] <ann>\n");
  made.write("tasks/3.yaml", "owner: \"[Ann](../people/ann.md)\"\n");
  made.write("journal/monday.md", "met [[ann]] and [her](</people/ann.md>) and [[annabel]]\n");
  const auto written = made.writer("people").update(to_be_called("ann", "Ann B"));
  REQUIRE(written);
  CHECK(written->references == 4);
  CHECK(made.read("people/Ann B.md") ==
        "---\nname: Ann\nboss: Ann B  # herself\n---\nI am [[Ann B]].\n");
  CHECK(made.read("tasks/1.md") ==
        "---\nowner: '[[Ann B|Ann]]'  # who\nteam: [ben, people/Ann B]\n---\n");
  CHECK(made.read("tasks/2.md") ==
        "---\nowner: ../people/ann.md\ntitle: see [[people/Ann B]], ann\nseen: [\"[[Ann B]]\"]\n"
        "---\n[x](../people/Ann%20B.md#top \"t\") `[[ann]]` [[Ann B#Top|Ann B]] <ann>\n");
  CHECK(made.read("tasks/3.yaml") == "owner: \"[Ann](../people/Ann%20B.md)\"\n");
  CHECK(made.read("journal/monday.md") ==
        "met [[Ann B]] and [her](</people/Ann B.md>) and [[annabel]]\n");
}

TEST_CASE("references in schema files and inside nested values follow a renamed row",
          "[database]") {
  MadeWorkspace made;
  write_people(made);
  const std::string schema =
      "---\nname: T\ncolumns:\n  - { id: owner, type: relation, target: people, default: ann }  # "
      "usual\n"
      "  - id: data\n    type: json\n"
      "views:\n  - id: hers\n    filters:\n      - { field: owner, operator: in, value: [ann, ben] "
      "}\n"
      "      - { field: data.x, operator: eq, value: ann }\n"
      "templates:\n  t:\n    fields:\n      owner: ann   # as above\n    body: |\n      # For "
      "[[ann]]\n"
      "---\nAsk [[ann]].\n";
  made.write("work/_schema.md", schema);
  made.write("work/1.md", "---\ndata:\n  # nested\n  who: \"[[ann]]\"\n  x: ann\n---\n");
  REQUIRE(made.writer("people").update(to_be_called("ann", "zoe")));
  CHECK(made.read("work/1.md") == "---\ndata:\n  # nested\n  who: \"[[zoe]]\"\n  x: ann\n---\n");
  CHECK(made.read("work/_schema.md") ==
        "---\nname: T\ncolumns:\n  - { id: owner, type: relation, target: people, default: zoe }  "
        "# usual\n"
        "  - id: data\n    type: json\n"
        "views:\n  - id: hers\n    filters:\n      - { field: owner, operator: in, value: [zoe, "
        "ben] }\n"
        "      - { field: data.x, operator: eq, value: ann }\n"
        "templates:\n  t:\n    fields:\n      owner: zoe   # as above\n    body: |\n      # For "
        "[[zoe]]\n"
        "---\nAsk [[zoe]].\n");
}

TEST_CASE("a row that a thousand others name is renamed with all of them", "[database]") {
  MadeWorkspace made;
  write_people(made);
  const auto row = [](const std::string& owner, int i) {
    return "---\nowner:   " + owner + "   # the " + std::to_string(i) + "th\n---\nAnn\n";
  };
  for (int i = 0; i < 1000; ++i)
    made.write("tasks/row-" + std::to_string(i) + ".md", row("ann", i));
  made.write("tasks/other.md", row("ben", 0));
  const auto written = made.writer("people").update(to_be_called("ann", "zoe"));
  REQUIRE(written);
  CHECK(written->references == 1000);
  int same = 0;
  for (int i = 0; i < 1000; ++i)
    same += made.read("tasks/row-" + std::to_string(i) + ".md") == row("zoe", i) ? 1 : 0;
  CHECK(same == 1000);
  CHECK(made.read("tasks/other.md") == row("ben", 0));
}

TEST_CASE("a row is not renamed to what is another's name where case is ignored", "[database]") {
  MadeWorkspace made;
  write_people(made);
  made.write("people/ben.md", "---\nname: Ben\n---\n");
  const auto refused = made.writer("people").update(to_be_called("ben", "ANN"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::already_exists);
  CHECK(refused.error().message.find("'ann'") != std::string::npos);
  REQUIRE(made.writer("people").update(to_be_called("ben", "Ben")));
  CHECK(made.read("people/Ben.md") == "---\nname: Ben\n---\n");
}

TEST_CASE("a renaming with its references is one change that can be taken back", "[database]") {
  MadeWorkspace made;
  write_people(made);
  made.write("tasks/1.md", "---\nowner: ann\n---\n");
  const auto before = made.files();
  const auto written = made.writer("people").update(to_be_called("ann", "zoe"));
  REQUIRE(written);
  CHECK(made.read("tasks/1.md") == "---\nowner: zoe\n---\n");
  REQUIRE(made.open().undo(written->change));
  CHECK(made.files() == before);
}

TEST_CASE("a dry run of a renaming shows every file and writes none", "[database]") {
  MadeWorkspace made;
  write_people(made);
  made.write("tasks/1.md", "---\nowner: ann\n---\n");
  const auto before = made.files();
  const auto shown = made.writer("people").update(to_be_called("ann", "zoe"), WriteMode::dry_run);
  REQUIRE(shown);
  CHECK(shown->diff.find("+owner: zoe") != std::string::npos);
  CHECK(shown->references == 1);
  CHECK(made.files() == before);
}

TEST_CASE("a row of the same name in another database keeps its references", "[database]") {
  MadeWorkspace made;
  write_people(made);
  made.write("pets/_schema.yaml",
             "name: Pets\ncolumns: [{id: of, type: relation, target: pets}]\n");
  made.write("pets/ann.md", "a cat\n");
  made.write("pets/rex.md", "---\nof: ann\n---\n[[ann]] and [[people/ann]]\n");
  REQUIRE(made.writer("people").update(to_be_called("ann", "zoe")));
  CHECK(made.read("pets/rex.md") == "---\nof: ann\n---\n[[ann]] and [[people/zoe]]\n");
}

TEST_CASE("links with escapes and links inside a sub-folder follow too", "[database]") {
  MadeWorkspace made;
  made.write("n/_schema.yaml",
             "name: N\ncolumns: [{id: t, type: text}]\nrows: {include: ['**/*.md']}\n");
  made.write("n/a/caf\u00e9 1.md", "x\n");
  made.write("n/a/b.md", "[x](caf%C3%A9%201.md)\n");
  made.write("n/c.md", "[x](./a/caf%C3%A9%201.md) [y](<a/caf\u00e9 1.md>)\n");
  REQUIRE(made.writer("n").update(to_be_called("a/caf\u00e9 1", "d/th\u00e9 2")));
  CHECK(made.read("n/a/b.md") == "[x](../d/th%C3%A9%202.md)\n");
  CHECK(made.read("n/c.md") == "[x](./d/th%C3%A9%202.md) [y](<d/th\u00e9 2.md>)\n");
}

TEST_CASE("a folder that is a row moves as a whole", "[database]") {
  MadeWorkspace made;
  made.write("n/_schema.yaml", "name: N\ncolumns: [{id: t, type: text}]\nrows: {layout: folder}\n");
  made.write("n/old/index.md", "x\n");
  made.write("n/b/index.md", "[x](../old/index.md) [[old]] [y](../old)\n");
  REQUIRE(made.writer("n").update(to_be_called("old", "new")));
  CHECK(made.read("n/b/index.md") == "[x](../new/index.md) [[new]] [y](../new)\n");
  CHECK_FALSE(std::filesystem::exists(made.root() / "n/old"));
}

}  // namespace
}  // namespace notesdb
