// What points to a row.
#include "database/backlinks.h"

#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "note/body_links.h"

namespace notesdb {
namespace {

std::vector<std::string> targets(std::string_view body) {
  std::vector<std::string> found;
  for_each_link(body, [&](const BodyLink& link) { found.push_back(link.link.target); });
  return found;
}

TEST_CASE("links are found in a body and not in its code", "[database]") {
  CHECK(targets("see [[a]] and [b c](x/b%20c.md#top), [[p/q|name]]") ==
        std::vector<std::string>{"a", "x/b c", "p/q"});
  CHECK(targets("`[[a]]` [[b]]\n```\n[[c]]\n```\n[[d]]") == std::vector<std::string>{"b", "d"});
  CHECK(targets("[ ] task [x](https://example.org/a.md) [[a]").empty());
}

TEST_CASE("relations and links in bodies point to a row", "[database]") {
  MadeWorkspace made;
  made.write("people/_schema.yaml", "name: P\ncolumns: [{id: name, type: text}]\n");
  made.write("people/ann.md", "---\nname: Ann\n---\nI am [[ann]].\n");
  made.write("people/ben.md", "---\nname: Ben\n---\nknows [Ann](ann.md)\n");
  made.write("tasks/_schema.yaml",
             "name: T\ncolumns:\n- {id: owner, type: relation, target: people}\n- {id: team, type: "
             "relation, target: people, multiple: true}\n");
  made.write("tasks/row-1.md", "---\nowner: '[[ann|Ann]]'\nteam: [ben, people/ann]\n---\n");
  made.write("tasks/row-2.md", "---\nowner: ben\n---\n[x](../people/ann.md) `[[ann]]`\n");
  made.write("tasks/row-3.md", "---\nowner: ben\n---\n[[annabel]] [y](ann.md)\n");
  made.write("journal/monday.md", "met [[people/ann]]\n");
  made.write("other/_schema.yaml", "name: O\ncolumns: [{id: name, type: text}]\n");
  made.write("other/ann.md", "another Ann\n");
  made.write("other/x.md", "[[ann]] is the one of here\n");
  const auto links = find_backlinks(made.open(), "people", "ann");
  REQUIRE(links);
  std::vector<std::string> shown;
  for (const Backlink& link : *links) {
    shown.push_back(link.database_id + "|" + link.row_id + "|" + link.field + "|" + link.path);
  }
  CHECK(shown == std::vector<std::string>{"people|ben|_body|people/ben.md",
                                          "tasks|row-1|owner|tasks/row-1.md",
                                          "tasks|row-1|team|tasks/row-1.md",
                                          "tasks|row-2|_body|tasks/row-2.md",
                                          "||_body|journal/monday.md"});
  CHECK(find_backlinks(made.open(), "people", "nobody").error().code == ErrorCode::unknown_row);
}

TEST_CASE("a process that stays tells links as the notes have them now", "[database]") {
  MadeWorkspace made;
  made.write("people/_schema.yaml", "name: P\ncolumns: [{id: name, type: text}]\n");
  made.write("people/ann.md", "---\nname: Ann\n---\n");
  made.write("people/ben.md", "---\nname: Ben\n---\nknows [Ann](ann.md)\n");
  made.write("journal/monday.md", "met [[people/ann]]\n");
  made.open().stay();
  const auto shown = [&](Workspace& workspace) {
    const auto links = find_backlinks(workspace, "people", "ann");
    REQUIRE(links);
    std::string text;
    for (const Backlink& link : *links)
      text += link.path + " ";
    return text;
  };
  const auto check_same = [&] { CHECK(shown(made.open()) == shown(*made.open_anew())); };
  REQUIRE(shown(made.open()) == "people/ben.md journal/monday.md ");
  check_same();
  made.write("journal/monday.md", "met nobody\n");
  check_same();
  made.write("new/folder/note.md", "[[people/ann]]\n");
  check_same();
  made.write("new/folder/note.md", "[[people/ben]]\n");
  check_same();
  std::filesystem::rename(made.root() / "new", made.root() / "newer");
  made.write("newer/folder/note.md", "[[people/ann]]\n");
  check_same();
  std::filesystem::remove(made.root() / "people/ben.md");
  check_same();
  // An own row of this name is meant by a bare link from now on.
  made.write("other/_schema.yaml", "name: O\ncolumns: [{id: name, type: text}]\n");
  made.write("other/x.md", "[[ann]]\n");
  check_same();
  made.write("other/ann.md", "another Ann\n");
  check_same();
}

}  // namespace
}  // namespace notesdb
