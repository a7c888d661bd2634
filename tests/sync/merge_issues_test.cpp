// What a merge makes wrong is told and pushed, or stays here where that is wanted; what was wrong
// before goes its way.
#include <catch2/catch.hpp>

#include "sync/clone.h"

namespace notesdb::sync_test {
namespace {

constexpr const char* schema =
    "---\nname: Pages\ncolumns:\n  - { id: slug, type: text, unique: true }\n"
    "  - { id: state, type: select, options: [open, done] }\n"
    "  - { id: next, type: relation, target: pages }\n---\n";

struct Two {
  Two() {
    ann.write("pages/_schema.md", schema);
    ann.write("pages/first.md", "---\nslug: first\n---\n");
    ann.write("pages/second.md", "---\nslug: second\n---\n");
    ann.sync();
    bob.git({"pull", "--quiet"});
  }

  Clones clones;
  Clone ann = clones.make("ann");
  Clone bob = clones.make("bob");
};

}  // namespace

TEST_CASE("a unique value taken on both sides stops a strict sync until one gives it up",
          "[sync]") {
  Two two;
  two.ann.write("pages/third.md", "---\nslug: new\n---\n");
  two.ann.sync();
  two.bob.write("pages/fourth.md", "---\nslug: new\n---\n");
  const std::string pushed = two.ann.git({"rev-parse", "HEAD"});
  for (int again = 0; again < 2; ++again) {
    Finished stopped = two.bob.run({"sync", "--strict"});
    CHECK(stopped.exit_code == 1);
    CHECK(says(stopped, "1 error that neither side had"));
    CHECK(says(stopped, "[unique]"));
    CHECK(two.bob.git({"ls-remote", "origin", "main"}).starts_with(pushed));
  }
  CHECK(two.bob.git({"status", "--porcelain"}).empty());
  two.bob.run({"update", "pages", "fourth", "--set", "slug=newer"});
  two.bob.sync();
  two.ann.sync();
  CHECK(two.ann.tree() == two.bob.tree());
}

TEST_CASE("a row deleted on one side and linked on the other is told and pushed", "[sync]") {
  Two two;
  two.ann.remove("pages/second.md");
  two.ann.sync();
  two.bob.write("pages/first.md", "---\nslug: first\nnext: second\n---\n");
  const Finished stopped = two.bob.run({"sync", "--strict"});
  CHECK(stopped.exit_code == 1);
  CHECK(says(stopped, "pages/first.md:3"));
  CHECK(says(stopped, "[relation]"));
  const Finished done = two.bob.run({"sync", "--json"});
  CHECK(done.exit_code == 0);
  CHECK(done.out.find("pages/first.md:3") != std::string::npos);
  CHECK(done.out.find("notesdb restore") != std::string::npos);
  two.ann.sync();
  CHECK(two.ann.tree() == two.bob.tree());
}

TEST_CASE("a dry run says what a sync would do", "[sync]") {
  Two two;
  two.ann.write("pages/third.md", "---\nslug: third\n---\n");
  Finished told = two.ann.run({"sync", "--dry-run"});
  CHECK(told.out.find("would commit 1 file; would push 1 commit") != std::string::npos);
  CHECK(told.out.find("sent") == std::string::npos);
  two.ann.sync();
  told = two.ann.run({"sync", "--dry-run"});
  CHECK(told.out.find("would change nothing") != std::string::npos);
}

TEST_CASE("a push by hand is the last word on what a merge made wrong", "[sync]") {
  Two two;
  two.ann.write("pages/third.md", "---\nslug: new\n---\n");
  two.ann.sync();
  two.bob.write("pages/fourth.md", "---\nslug: new\n---\n");
  CHECK(two.bob.run({"sync", "--strict"}).exit_code == 1);
  two.bob.git({"push", "--quiet"});
  two.bob.sync();
  two.ann.sync();
  CHECK(two.ann.tree() == two.bob.tree());
}

TEST_CASE("what was wrong on one side before they met does not stop a sync", "[sync]") {
  Two two;
  two.ann.write("pages/first.md", "---\nslug: first\nstate: lost\n---\n");
  two.ann.write("pages/third.md", "---\nslug: first\n---\n");
  two.ann.sync();
  two.bob.write("pages/second.md", "---\nslug: second\nstate: gone\n---\n");
  two.bob.write("pages/first.md", "---\nslug: first\n---\n\nText.\n");
  two.bob.sync();
  two.ann.sync();
  CHECK(two.ann.tree() == two.bob.tree());
  CHECK(two.ann.read("pages/first.md") == "---\nslug: first\nstate: lost\n---\n\nText.\n");
}

TEST_CASE("a merge that lost a race is still looked at", "[sync]") {
  Two two;
  two.ann.write("pages/third.md", "---\nslug: new\n---\n");
  two.ann.sync();
  two.bob.write("pages/fourth.md", "---\nslug: new\n---\n");
  CHECK(two.bob.run({"sync", "--strict"}).exit_code == 1);
  two.ann.write("pages/fifth.md", "---\nslug: fifth\n---\n");
  two.ann.sync();
  Finished stopped =
      two.bob.run({"sync", "--strict"});  // merges again, on top of the merge it held back
  CHECK(stopped.exit_code == 1);
  CHECK(says(stopped, "1 error that neither side had"));
}

}  // namespace notesdb::sync_test
