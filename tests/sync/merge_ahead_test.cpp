// Rows merged ahead of git come out as the driver would have merged them one by one.
#include <catch2/catch.hpp>

#include "sync/clone.h"

namespace notesdb::sync_test {
namespace {

std::string row(int number) {
  std::string digits = std::to_string(number);
  return "tasks/row-0" + std::string(digits.size() < 2 ? "0" : "") + digits + ".md";
}

std::string text(const std::string& status, const std::string& owner, const std::string& body) {
  return "---\nstatus: " + status + "  # now\nowner: " + owner + "\nseen: 1\ntags: [a]\n---\n" +
         body + "\n";
}

// Two clones that changed the same twenty rows and did some other things besides; `theirs` has
// synced, `ours` has not.
struct Parted {
  Parted() {
    ours.write("tasks/_schema.md",
               "---\nname: Tasks\ncolumns:\n  - { id: status, type: text }\n"
               "  - { id: owner, type: text }\n  - { id: seen, type: number, merge: max }\n"
               "  - { id: tags, type: list }\n---\n");
    for (int number = 1; number <= 26; ++number)
      ours.write(row(number), text("open", "ann", "One\nTwo\nThree " + std::to_string(number)));
    ours.write("notes.txt", "one\ntwo\nthree\nfour\n");
    ours.sync();
    theirs.git({"pull", "--quiet"});
    for (int number = 1; number <= 20; ++number) {
      std::string third = "Three " + std::to_string(number);
      ours.write(row(number), text("done", "ann", "One, ours\nTwo\n" + third));
      theirs.write(row(number), text("open", "bob", "One\nTwo\n" + third + ", theirs"));
    }
    ours.write(row(21), text("done", "ann", "One\nTwo\nThree 21"));
    theirs.write(row(21), text("doing", "ann", "One\nTwo\nThree 21"));
    REQUIRE(ours.run({"rename", "tasks", "row-022", "renamed"}).exit_code == 0);
    theirs.write(row(22), text("open", "carl", "One\nTwo\nThree 22"));
    theirs.remove(row(23));
    ours.write(row(24), text("done", "ann", "One\nTwo\nThree 24"));
    theirs.write(row(25), text("done", "ann", "One\nTwo\nThree 25"));
    ours.write("notes.txt", "one, ours\ntwo\nthree\nfour\n");
    theirs.write("notes.txt", "one\ntwo\nthree\nfour, theirs\n");
    theirs.sync();
  }

  Clones clones;
  Clone ours = clones.make("ours");
  Clone theirs = clones.make("theirs");
};

// Everything that a merge left: the conflicts that it named, files, index, and a second parent.
std::string outcome(const std::string& from) {
  Parted parted;
  parted.ours.git({"config", "notesdb.mergeAhead", from});
  Finished stopped = parted.ours.run({"sync"});
  CHECK(stopped.exit_code == 1);
  std::string found = stopped.err + parted.ours.git({"ls-files", "--stage"});
  found += parted.ours.read(row(21));
  parted.ours.run({"resolve", "tasks", "row-021", "--field", "status", "--theirs"});
  parted.ours.sync();
  found += parted.ours.git({"log", "-1", "--format=%s %P %T"});
  CHECK_FALSE(parted.ours.has(".git/notesdb-merge"));
  parted.theirs.sync();
  CHECK(parted.theirs.tree() == parted.ours.tree());
  CHECK(parted.ours.read(row(7)) ==
        "---\nstatus: done  # now\nowner: bob\nseen: 1\ntags: [a]\n"
        "---\nOne, ours\nTwo\nThree 7, theirs\n");
  CHECK(parted.ours.read("tasks/renamed.md").find("owner: carl") != std::string::npos);
  return found.substr(0, found.rfind("Merge")) + parted.ours.tree();
}

}  // namespace

TEST_CASE("many rows merged ahead come out as if the driver had merged each", "[sync]") {
  CHECK(outcome("1") == outcome("1000"));
}

TEST_CASE("rows merged ahead are told as one ordinary merge by git", "[sync]") {
  Parted parted;
  parted.ours.write(row(21), text("open", "ann", "One\nTwo\nThree 21"));
  parted.ours.sync();
  CHECK(parted.ours.git({"rev-list", "--parents", "-1", "HEAD"}).size() == 3 * 40 + 2);
  CHECK(parted.ours.git({"reflog", "-1", "--format=%gs"}).find("'notesdb' strategy") !=
        std::string::npos);
  CHECK(parted.ours.git({"status", "--porcelain"}).empty());
  CHECK(parted.ours.git({"fsck", "--no-dangling"}).empty());
}

}  // namespace notesdb::sync_test
