// Names across clones: a number is given once, a rename is what somebody said, never a guess.
#include <catch2/catch.hpp>

#include "sync/clone.h"

namespace notesdb::sync_test {
namespace {

constexpr const char* schema =
    "---\nname: Notes\ncolumns:\n  - { id: title, type: text }\n  - { id: note, type: text }\n"
    "  - { id: ref, type: relation, target: notes }\n---\n";

std::string row(const std::string& title) {
  return "---\ntitle: " + title + "\n---\n";
}

struct Two {
  Two() {
    ann.write("notes/_schema.md", schema);
    for (const char* number : {"1", "2", "3"})
      ann.write("notes/row-00" + std::string(number) + ".md", row(number));
    ann.sync();
    bob.git({"pull", "--quiet"});
  }

  static void done(const Clone& clone, const driving::Words& words) {
    const Finished end = clone.run(words);
    INFO(end.err << end.out);
    REQUIRE(end.exit_code == 0);
  }

  Clones clones;
  Clone ann = clones.make("ann");
  Clone bob = clones.make("bob");
};

}  // namespace

TEST_CASE("the number of a row that is gone is not given again", "[sync]") {
  Two two;
  const bool renames = GENERATE(false, true);
  if (renames) {
    Two::done(two.ann, {"rename", "notes", "row-003", "plan"});
  } else {
    Two::done(two.ann, {"delete", "notes", "row-003"});
  }
  CHECK(two.ann.read("notes/_schema.md").find("next_row_id: 4") != std::string::npos);
  Two::done(two.ann, {"insert", "notes", "--set", "title=new"});
  CHECK(two.ann.has("notes/row-004.md"));
  CHECK_FALSE(two.ann.has("notes/row-003.md"));
  two.ann.sync();
  Two::done(two.bob, {"update", "notes", "row-003", "--set", "note=bob"});
  if (renames) {
    two.bob.sync();
    CHECK(two.bob.read("notes/plan.md").find("note: bob") != std::string::npos);
  } else {
    CHECK(says(two.bob.run({"sync"}), "notes/row-003.md (_row)"));
  }
  CHECK(two.bob.read("notes/row-004.md").find("bob") == std::string::npos);
}

TEST_CASE("a deletion is taken back though rows were made since", "[sync]") {
  Two two;
  const std::string before = two.ann.read("notes/_schema.md");
  const Finished gone = two.ann.run({"delete", "notes", "row-003", "--json"});
  const std::size_t at = gone.out.find("\"change\":\"") + 10;
  const std::string change = gone.out.substr(at, gone.out.find('"', at) - at);
  const bool inserts = GENERATE(false, true);
  if (inserts) Two::done(two.ann, {"insert", "notes", "--set", "title=new"});
  Two::done(two.ann, {"undo", change});
  CHECK(two.ann.read("notes/row-003.md") == row("3"));
  if (!inserts) CHECK(two.ann.read("notes/_schema.md") == before);
}

TEST_CASE("a row made of the same template is not taken for one that was deleted", "[sync]") {
  Two two;
  two.ann.remove("notes/row-002.md");
  two.ann.write("notes/row-009.md", row("2"));
  two.ann.sync();
  Two::done(two.bob, {"update", "notes", "row-002", "--set", "note=bob"});
  CHECK(says(two.bob.run({"sync"}), "notes/row-002.md (_row)"));
  CHECK(two.bob.read("notes/row-009.md") == row("2"));
}

TEST_CASE("edits follow a rename however different the row has become", "[sync]") {
  Two two;
  const Clone& renamer = GENERATE(0, 1) == 0 ? two.ann : two.bob;
  const Clone& editor = &renamer == &two.ann ? two.bob : two.ann;
  Two::done(renamer, {"rename", "notes", "row-003", "plan"});
  Two::done(renamer, {"update", "notes", "plan", "--body", "Another text, and a long one"});
  Two::done(editor, {"update", "notes", "row-003", "--set", "note=edited"});
  Two::done(editor, {"update", "notes", "row-001", "--set", "ref=row-003"});
  two.ann.sync();
  two.bob.sync();
  two.ann.sync();
  two.bob.sync();  // what the merge on the other side made of it
  CHECK(two.ann.tree() == two.bob.tree());
  CHECK_FALSE(two.ann.has("notes/row-003.md"));
  CHECK(two.ann.read("notes/plan.md").find("note: edited") != std::string::npos);
  CHECK(two.ann.read("notes/plan.md").find("Another text") != std::string::npos);
  CHECK(two.ann.read("notes/row-001.md").find("ref: plan") != std::string::npos);
}

TEST_CASE("a row with two new names keeps the one that was pushed, and both edits", "[sync]") {
  Two two;
  Two::done(two.ann, {"rename", "notes", "row-003", "plan"});
  Two::done(two.ann, {"update", "notes", "plan", "--set", "note=ann"});
  two.ann.sync();
  Two::done(two.bob, {"rename", "notes", "row-003", "idea"});
  Two::done(two.bob, {"update", "notes", "idea", "--set", "title=bob"});
  const Finished done = two.bob.run({"sync"});
  INFO(done.err);
  CHECK(done.exit_code == 0);
  CHECK(done.out.find("plan") != std::string::npos);
  CHECK_FALSE(two.bob.has("notes/idea.md"));
  CHECK(two.bob.read("notes/plan.md").find("title: bob") != std::string::npos);
  CHECK(two.bob.read("notes/plan.md").find("note: ann") != std::string::npos);
}

TEST_CASE("a row that two clones keep after a third deleted it stays one row", "[sync]") {
  Two two;
  const Clone carl = two.clones.make("carl");
  Two::done(two.ann, {"delete", "notes", "row-003"});
  two.ann.sync();
  for (const Clone* clone : std::initializer_list<const Clone*>{&two.bob, &carl}) {
    Two::done(*clone,
              {"update", "notes", "row-003", "--set", clone == &carl ? "title=C" : "note=B"});
    CHECK(clone->run({"sync"}).exit_code == 1);
    Two::done(*clone, {"resolve", "notes", "row-003", "--field", "_row", "--ours"});
  }
  two.bob.sync();
  carl.run({"sync"});
  CHECK_FALSE(carl.has("notes/row-004.md"));
  const std::string kept = carl.read("notes/row-003.md");
  CHECK(kept.find("note: B") != std::string::npos);
  CHECK(kept.find("title: C") != std::string::npos);
}

TEST_CASE("a row renamed on one side and deleted on the other is a conflict", "[sync]") {
  Two two;
  const bool renames_first = GENERATE(false, true);
  const Clone& renamer = renames_first ? two.ann : two.bob;
  const Clone& other = renames_first ? two.bob : two.ann;
  Two::done(renamer, {"rename", "notes", "row-003", "plan"});
  Two::done(other, {"delete", "notes", "row-003"});
  two.ann.sync();
  CHECK(says(two.bob.run({"sync"}), "notes/plan.md (_row)"));
  CHECK(two.bob.read("notes/plan.md") == row("3"));
  const std::string side = GENERATE("--ours", "--theirs");
  Two::done(two.bob, {"resolve", "notes", "plan", "--field", "_row", side});
  two.bob.sync();
  CHECK(two.bob.has("notes/plan.md") == ((side == "--theirs") == renames_first));
  CHECK_FALSE(two.bob.has("notes/row-003.md"));
  two.ann.sync();
  CHECK(two.ann.tree() == two.bob.tree());
}

TEST_CASE("a row made under the name of a deleted one does not get that one's edits", "[sync]") {
  Two two;
  const bool renames = GENERATE(false, true);
  Two::done(two.ann, {"insert", "notes", "--row-id", "plan", "--set", "title=first"});
  two.ann.sync();
  two.bob.sync();
  Two::done(two.ann, {"delete", "notes", "plan"});
  two.ann.sync();
  Two::done(two.ann, {"insert", "notes", "--row-id", "plan", "--set", "title=second"});
  two.ann.sync();
  if (renames) {
    Two::done(two.bob, {"rename", "notes", "plan", "idea"});
    CHECK(says(two.bob.run({"sync"}), "1 conflict: notes/idea.md (_row)"));
    CHECK(two.bob.read("notes/plan.md") == row("second"));
    CHECK(two.bob.read("notes/idea.md") == row("first"));
  } else {
    Two::done(two.bob, {"update", "notes", "plan", "--set", "note=bob"});
    const Finished done = two.bob.run({"sync"});
    CHECK(says(done, "notes/plan.md (title), notes/plan.md (note)"));
  }
}

TEST_CASE("a row that is deleted and brought back as it was gets the edits of others", "[sync]") {
  Two two;
  Two::done(two.ann, {"insert", "notes", "--row-id", "plan", "--set", "title=first"});
  two.ann.sync();
  two.bob.sync();
  Two::done(two.ann, {"delete", "notes", "plan"});
  two.ann.sync();
  Two::done(two.ann, {"undo"});
  Two::done(two.ann, {"update", "notes", "row-001", "--set", "note=ann"});
  two.ann.sync();
  Two::done(two.bob, {"update", "notes", "plan", "--set", "note=bob"});
  two.bob.sync();
  CHECK(two.bob.read("notes/plan.md") == "---\ntitle: first\nnote: bob\n---\n");
}

TEST_CASE("a row that is renamed again after a sync is followed to its last name", "[sync]") {
  Two two;
  Two::done(two.ann, {"rename", "notes", "row-003", "plan"});
  two.ann.sync();
  Two::done(two.ann, {"rename", "notes", "plan", "draft"});
  Two::done(two.ann, {"rename", "notes", "draft", "idea"});
  two.ann.sync();
  Two::done(two.bob, {"update", "notes", "row-003", "--set", "note=bob"});
  two.bob.sync();
  CHECK_FALSE(two.bob.has("notes/row-003.md"));
  CHECK(two.bob.read("notes/idea.md") == "---\ntitle: 3\nnote: bob\n---\n");
}

TEST_CASE("a sync tells what one before it had decided and could not tell", "[sync]") {
  Two two;
  Two::done(two.ann, {"rename", "notes", "row-003", "plan"});
  Two::done(two.ann, {"update", "notes", "plan", "--set", "title=ann"});
  two.ann.sync();
  Two::done(two.bob, {"rename", "notes", "row-003", "idea"});
  Two::done(two.bob, {"update", "notes", "idea", "--set", "title=bob"});
  CHECK(says(two.bob.run({"sync"}), "1 conflict: notes/plan.md (title); resolve it"));
  Two::done(two.bob, {"resolve", "notes", "plan", "--ours"});
  const Finished done = two.bob.run({"sync"});
  CHECK(done.out.find("notes/idea is now plan") != std::string::npos);
  CHECK(two.bob.run({"sync"}).out.find("plan") == std::string::npos);
}

TEST_CASE("a sync tells what one before it had decided and could not write", "[sync]") {
  Two two;
  Two::done(two.ann, {"rename", "notes", "row-003", "plan"});
  two.ann.sync();
  Two::done(two.bob, {"rename", "notes", "row-003", "idea"});
  CHECK(two.bob.run_into("/dev/full", {"sync"}).exit_code != 0);
  CHECK(two.bob.has("notes/plan.md"));
  CHECK(two.bob.run({"sync"}).out.find("notes/idea is now plan") != std::string::npos);
  CHECK(two.bob.run({"sync"}).out.find("plan") == std::string::npos);
}

TEST_CASE("a row made under the name of one that was renamed does not get its edits", "[sync]") {
  Two two;
  Two::done(two.ann, {"insert", "notes", "--row-id", "plan", "--set", "title=first"});
  two.ann.sync();
  two.bob.sync();
  Two::done(two.ann, {"rename", "notes", "plan", "idea"});
  if (GENERATE(false, true)) two.ann.sync();
  Two::done(two.ann, {"insert", "notes", "--row-id", "plan", "--set", "title=second"});
  Two::done(two.bob, {"update", "notes", "plan", "--set", "note=bob"});
  Two::done(two.bob, {"update", "notes", "row-001", "--set", "ref=plan"});
  const bool bob_first = GENERATE(false, true);
  (bob_first ? two.bob : two.ann).sync();
  (bob_first ? two.ann : two.bob).sync();
  (bob_first ? two.bob : two.ann).sync();
  CHECK(two.bob.read("notes/plan.md") == row("second"));
  CHECK(two.bob.read("notes/idea.md") == "---\ntitle: first\nnote: bob\n---\n");
  CHECK(two.ann.tree() == two.bob.tree());
  CHECK(two.ann.read("notes/row-001.md").find("ref: idea") != std::string::npos);
}

TEST_CASE("a rename is followed where the row names itself and changes with it", "[sync]") {
  Two two;
  Two::done(two.ann, {"update", "notes", "row-003", "--set", "ref=row-003"});
  two.ann.sync();
  two.bob.sync();
  Two::done(two.ann, {"rename", "notes", "row-003", "plan"});
  two.ann.sync();
  Two::done(two.bob, {"update", "notes", "row-003", "--set", "note=bob"});
  two.bob.sync();
  CHECK_FALSE(two.bob.has("notes/row-003.md"));
  CHECK(two.bob.read("notes/plan.md") == "---\ntitle: 3\nref: plan\nnote: bob\n---\n");
}

TEST_CASE("a rename is that of the row which had the name, not of another clone's", "[sync]") {
  Two two;
  const Clone carl = two.clones.make("carl");
  for (const Clone* clone : std::initializer_list<const Clone*>{&two.ann, &carl}) {
    const std::string title = clone == &carl ? "title=C" : "title=A";
    Two::done(*clone, {"insert", "notes", "--set", title});  // row-004 in each
  }
  two.ann.sync();
  two.bob.sync();
  carl.sync();  // gives its row the number 5
  Two::done(two.ann, {"rename", "notes", "row-004", "plan"});
  two.ann.sync();
  Two::done(two.bob, {"update", "notes", "row-001", "--set", "ref=row-004"});
  two.bob.sync();
  CHECK(two.bob.read("notes/row-001.md").find("ref: plan") != std::string::npos);
  CHECK(two.bob.read("notes/plan.md") == row("A"));
  CHECK(two.bob.read("notes/row-005.md") == row("C"));
}

TEST_CASE("a reference to a row that was gone before its first commit names no other's row",
          "[sync]") {
  Two two;
  const bool is_highest = GENERATE(false, true);
  Two::done(two.ann, {"insert", "notes", "--set", "title=A"});  // row-004 in each
  if (!is_highest) Two::done(two.ann, {"insert", "notes", "--set", "title=B"});
  Two::done(two.ann, {"update", "notes", "row-001", "--set", "ref=row-004"});
  Two::done(two.ann, {"delete", "notes", "row-004"});
  Two::done(two.bob, {"insert", "notes", "--set", "title=C"});
  two.bob.sync();
  two.ann.sync();
  CHECK(two.ann.read("notes/row-001.md").find("ref: row-004\n") == std::string::npos);
  CHECK(two.ann.read("notes/row-001.md").find("ref: row-004-deleted\n") != std::string::npos);
  CHECK(two.ann.read("notes/row-004.md") == row("C"));
}

TEST_CASE("a reference to a row that was deleted and is kept by another clone stays", "[sync]") {
  Two two;
  Two::done(two.ann, {"update", "notes", "row-001", "--set", "ref=row-002"});
  two.ann.sync();
  two.bob.sync();
  Clone cat = two.clones.make("cat");
  Two::done(two.bob, {"update", "notes", "row-002", "--set", "note=bob"});
  Two::done(two.ann, {"delete", "notes", "row-002"});
  two.ann.sync();
  cat.sync();
  Two::done(cat, {"update", "notes", "row-001", "--set", "note=cat"});
  CHECK(two.bob.run({"sync"}).exit_code == 1);
  Two::done(two.bob, {"resolve", "notes", "row-002", "--ours"});
  two.bob.sync();
  cat.sync();
  CHECK(cat.read("notes/row-001.md").find("ref: row-002\n") != std::string::npos);
  CHECK(cat.read("notes/row-002.md").find("note: bob") != std::string::npos);
}

TEST_CASE("a reference to a row that somebody else has yet to send stays", "[sync]") {
  Two two;
  Two::done(two.bob, {"insert", "notes", "--set", "title=C"});
  two.bob.sync();
  two.ann.write("notes/row-001.md", "---\ntitle: \"1\"\nref: row-004\n---\n");
  two.ann.sync();
  CHECK(two.ann.read("notes/row-001.md").find("ref: row-004\n") != std::string::npos);
}

TEST_CASE("whoever has changed nothing merges nothing", "[sync]") {
  Two two;
  Two::done(two.ann, {"rename", "notes", "row-003", "plan"});
  two.ann.sync();
  const Finished done = two.bob.run({"sync", "--json"});
  CHECK(done.out.find("\"renumbered\":[]") != std::string::npos);
  CHECK(two.bob.git({"rev-parse", "HEAD"}) == two.ann.git({"rev-parse", "HEAD"}));
}

}  // namespace notesdb::sync_test
