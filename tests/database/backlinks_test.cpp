// What points to a row.
#include "database/backlinks.h"

#include <algorithm>
#include <random>
#include <thread>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "database/made_workspace.h"
#include "note/links.h"

namespace notesdb {
namespace {

std::vector<std::string> targets(std::string_view body) {
  std::vector<std::string> found;
  for_each_link(body, [&](const BodyLink& link) { found.push_back(path_meant(link)); });
  return found;
}

TEST_CASE("links are found in a body and not in its code", "[database]") {
  CHECK(targets("see [[a]] and [b c](x/b%20c.md#top), [[p/q|name]]") ==
        std::vector<std::string>{"a", "x/b c.md", "p/q"});
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

// Notes, rows and schemas that come, go and change, at random but the same for every seed.
class RandomNotes {
 public:
  RandomNotes(const MadeWorkspace& made, unsigned seed) : made_(made), random_(seed) {}

  void edit() {
    const std::string path = any_path();
    switch (below(12)) {
      case 0: std::filesystem::remove(made_.root() / path); break;
      case 1: rename(path, any_path()); break;
      case 2: rename(any_folder(), "moved" + std::to_string(below(2))); break;
      case 3: toggle(any_folder() + "/_schema.yaml"); break;
      default: made_.write(path, bytes());
    }
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
  std::string any_id() { return std::string(1, static_cast<char>('a' + below(5))); }
  std::string any_folder() {
    constexpr const char* folders[] = {"people", "tasks", "tasks/below", "journal", "moved0"};
    return folders[below(5)];
  }
  std::string any_path() { return any_folder() + "/" + any_id() + ".md"; }
  void rename(const std::string& from, const std::string& to) const {
    std::error_code refused;
    std::filesystem::rename(made_.root() / from, made_.root() / to, refused);
  }
  void toggle(const std::string& path) const {
    if (std::filesystem::remove(made_.root() / path)) return;
    made_.write(path,
                "name: N\ncolumns: [{id: of, type: relation, target: people, multiple: true}]\n");
  }
  std::string bytes() {
    std::string text = "---\nof: ['" + any_id() + "', '[[people/" + any_id() + "|x]]']\n---\n";
    for (int i = below(4); i > 0; --i) {
      constexpr const char* forms[] = {"[[%]]", "[[people/%]]", "[x](%.md)", "[x](../people/%.md)"};
      std::string link = forms[below(4)];
      text += link.replace(link.find('%'), 1, any_id()) + " ";
    }
    return text;
  }

  const MadeWorkspace& made_;
  std::mt19937 random_;
};

// No event tells of it: only the slow look at all notes does.
TEST_CASE("a link that comes through a memory map is told within two seconds", "[database]") {
  MadeWorkspace made;
  made.write("people/_schema.yaml", "name: P\ncolumns: [{id: name, type: text}]\n");
  made.write("people/ann.md", "---\nname: Ann\n---\n");
  made.write("people/ben.md", "---\nname: Ben\n---\nknows [Ann](bob.md)\n");
  Workspace& workspace = made.open();
  workspace.stay();
  const auto links = [&] { return find_backlinks(workspace, "people", "ann")->size(); };
  REQUIRE(links() == 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  REQUIRE(links() == 0);  // read again, and trusted from here on
  const int opened = ::open((made.root() / "people/ben.md").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(opened >= 0);
  void* mapped = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  REQUIRE(mapped != MAP_FAILED);
  const std::string_view bytes(static_cast<char*>(mapped), 40);
  std::ranges::copy(std::string_view("ann"), static_cast<char*>(mapped) + bytes.find("bob"));
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    links();
  }
  CHECK(links() == 1);
  ::munmap(mapped, 4096);
  ::close(opened);
}

TEST_CASE("links that are kept are those that a fresh look finds, whatever others change",
          "[database]") {
  const unsigned seed = GENERATE(1U, 2U, 3U);
  constexpr int rounds = 60;
  MadeWorkspace made;
  made.write("people/_schema.yaml", "name: P\ncolumns: [{id: name, type: text}]\n");
  made.write("people/a.md", "---\nname: Ann\n---\n");
  made.open().stay();
  RandomNotes notes(made, seed);
  const auto shown = [](Workspace& workspace, const std::string& id) {
    const auto links = find_backlinks(workspace, "people", id);
    if (!links) return std::string(name_of(links.error().code));
    std::string text;
    for (const Backlink& link : *links)
      text += link.database_id + "|" + link.row_id + "|" + link.field + "|" + link.path + "\n";
    return text;
  };
  for (int round = 0; round < rounds; ++round) {
    for (int edits = round % 5; edits >= 0; --edits)
      notes.edit();
    for (const std::string id : {"a", "b", "c"}) {
      INFO("seed " << seed << ", round " << round << ", row " << id);
      REQUIRE(shown(made.open(), id) == shown(*made.open_anew(), id));
    }
  }
}

}  // namespace
}  // namespace notesdb
