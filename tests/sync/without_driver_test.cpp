// Clones that merge by hand, or that never heard of notesdb, and ids that two of them chose.
#include <filesystem>

#include <catch2/catch.hpp>

#include "sync/clone.h"

namespace notesdb::sync_test {
namespace {

struct Two {
  Two() {
    ann.write("tasks/_schema.md",
              "---\nname: Tasks\ncolumns:\n  - { id: title, type: text }\n"
              "  - { id: status, type: text }\n  - { id: after, type: relation, target: tasks }\n"
              "next_row_id: 2\n---\n");
    ann.write("tasks/row-001.md", "---\ntitle: One\nstatus: open\n---\n");
    ann.sync();
    plain.git({"pull", "--quiet"});
  }

  // Both insert row-002 and refer to it; the plain clone's is pushed.
  void collide() const {
    plain.write("tasks/row-002.md", "---\ntitle: Theirs\n---\n");
    plain.write(
        "tasks/_schema.md",
        plain.read("tasks/_schema.md")
            .replace(plain.read("tasks/_schema.md").find("next_row_id: 2"), 14, "next_row_id: 3"));
    plain.commit("two");
    plain.git({"push", "--quiet"});
    CHECK(ann.run({"insert", "tasks", "--set", "title=Ours"}).exit_code == 0);
    CHECK(ann.run({"update",
                   "tasks",
                   "row-001",
                   "--set",
                   "after=row-002",
                   "--body",
                   "See [[row-002]].\n"})
              .exit_code == 0);
  }

  Clones clones;
  Clone ann = clones.make("ann");
  Clone plain = clones.make("plain");
};

}  // namespace

TEST_CASE("a clone without the driver works on the same files by lines", "[sync]") {
  Two two;
  two.ann.write("tasks/row-001.md", "---\ntitle: One, fixed\nstatus: open\n---\n");
  two.ann.sync();
  two.plain.write("tasks/row-003.md", "---\ntitle: Three\n---\n");
  two.plain.commit("three");
  two.plain.git({"pull", "--quiet", "--no-rebase", "--no-edit"});
  two.plain.git({"push", "--quiet"});
  two.ann.sync();
  CHECK(two.ann.tree() == two.plain.tree());
  CHECK(two.ann.read("tasks/row-001.md") == "---\ntitle: One, fixed\nstatus: open\n---\n");
}

TEST_CASE("a merge whose program went away loses nothing", "[sync]") {
  const std::string folder = GENERATE("", "below/");  // of the workspace in the repository
  const Clones clones;
  const Clone ann = clones.make("ann");
  const std::string schema = folder + "tasks/_schema.md";
  const std::string row = folder + "tasks/row-001.md";
  ann.write(schema,
            "---\nname: Tasks\ncolumns:\n  - { id: title, type: text }\n"
            "  - { id: status, type: text }\nnext_row_id: 2\n---\n");
  ann.write(row, "---\ntitle: One\nstatus: open\n---\n");
  ann.sync(folder);
  const Clone bob = clones.make("bob");
  ann.write(row, "---\ntitle: One, fixed\nstatus: open\n---\nText.\n");
  ann.write(schema,
            "---\nname: Tasks\ncolumns:\n  - { id: title, type: text }\n"
            "  - { id: status, type: text }\n"
            "  - { id: due, type: date }\nnext_row_id: 2\n---\n");
  ann.sync(folder);
  bob.write(row, "---\ntitle: One\nstatus: done\n---\n");
  bob.write(schema,
            "---\nname: Tasks\ncolumns:\n  - { id: title, type: text }\n"
            "  - { id: status, type: text }\n"
            "next_row_id: 9\n---\n");
  // git starts the program for each file; it is gone once the work is committed.
  const std::string copy = (clones.folder() / "program").string();
  std::filesystem::copy_file(driving::program(), copy);
  bob.git({"config", "notesdb.mergeAhead", "1000"});
  const auto hooks = clones.folder() / "hooks";
  driving::write_bytes(hooks / "post-commit", "#!/bin/sh\nrm -f '" + copy + "'\n");
  std::filesystem::permissions(hooks / "post-commit", std::filesystem::perms::owner_all);
  clones.configure("core.hooksPath", hooks.string());
  const Finished done = bob.run_copy(copy, {"sync"}, folder);
  INFO(done.err);
  CHECK_FALSE(std::filesystem::exists(copy));
  CHECK(done.exit_code == 0);
  CHECK(bob.read(row) == "---\ntitle: One, fixed\nstatus: done\n---\nText.\n");
  CHECK(says({0, "", bob.read(schema)}, "id: due"));
  CHECK(says({0, "", bob.read(schema)}, "next_row_id: 9"));
  ann.sync(folder);
  CHECK(ann.tree() == bob.tree());
}

TEST_CASE("git is told of a row that is resolved", "[sync]") {
  Two two;
  two.ann.write("tasks/row-001.md", "---\ntitle: Ann\nstatus: ann\n---\n");
  two.ann.sync();
  two.plain.write("tasks/row-001.md", "---\ntitle: Bob\nstatus: bob\n---\n");
  CHECK(two.plain.run({"sync"}).exit_code == 1);
  const auto unmerged = [&] { return two.plain.git({"ls-files", "--unmerged"}); };
  CHECK_FALSE(unmerged().empty());
  CHECK(two.plain.run({"resolve", "tasks", "row-001", "--field", "title", "--ours"}).exit_code ==
        0);
  CHECK_FALSE(unmerged().empty());
  CHECK(two.plain.run({"resolve", "tasks", "row-001", "--field", "status", "--ours"}).exit_code ==
        0);
  CHECK(unmerged().empty());
  two.plain.sync();
  CHECK(two.plain.read("tasks/row-001.md") == "---\ntitle: Bob\nstatus: bob\n---\n");
}

TEST_CASE("markers that a clone without the driver pushed are told by every sync", "[sync]") {
  Two two;
  two.plain.write("tasks/row-001.md",
                  "---\ntitle: One\n<<<<<<< HEAD\nstatus: done\n=======\nstatus: late\n"
                  ">>>>>>> side\n---\n");
  two.plain.commit("a merge gone wrong");
  two.plain.git({"push", "--quiet"});
  two.ann.write("tasks/row-004.md", "---\ntitle: Four\n---\n");
  two.ann.run({"sync"});
  Finished found = two.ann.run({"conflicts", "--json"});
  CHECK(found.out.find("\"total\":1") != std::string::npos);
  CHECK(two.ann.run({"resolve", "tasks", "row-001", "--field", "status", "--theirs"}).exit_code ==
        0);
  two.ann.sync();
  CHECK(two.ann.read("tasks/row-001.md") == "---\ntitle: One\nstatus: late\n---\n");
}

TEST_CASE("a sync renumbers a row whose id was taken, and every reference to it", "[sync]") {
  Two two;
  two.collide();
  two.ann.sync();
  CHECK(two.ann.read("tasks/row-002.md") == "---\ntitle: Theirs\n---\n");
  CHECK(two.ann.read("tasks/row-003.md").find("title: Ours") != std::string::npos);
  const std::string referring = two.ann.read("tasks/row-001.md");
  CHECK(referring.find("after: row-003") != std::string::npos);
  CHECK(referring.find("[[row-003]]") != std::string::npos);
  CHECK(two.ann.read("tasks/_schema.md").find("next_row_id: 4") != std::string::npos);
  CHECK(two.ann.run({"check"}).exit_code == 0);
}

TEST_CASE("an id that the others gave to a row which is gone is taken, too", "[sync]") {
  Two two;
  two.collide();
  two.plain.git({"mv", "tasks/row-002.md", "tasks/kept.md"});
  two.plain.commit("another name");
  two.plain.git({"push", "--quiet"});
  two.ann.sync();
  CHECK_FALSE(two.ann.has("tasks/row-002.md"));
  CHECK(two.ann.read("tasks/kept.md") == "---\ntitle: Theirs\n---\n");
  CHECK(two.ann.read("tasks/row-003.md").find("title: Ours") != std::string::npos);
  CHECK(two.ann.read("tasks/row-001.md").find("after: row-003") != std::string::npos);
}

TEST_CASE("what still names a row that we deleted before anybody saw it does not name theirs",
          "[sync]") {
  Two two;
  two.collide();
  two.ann.commit("ours");
  two.ann.remove("tasks/row-002.md");
  two.ann.sync();
  CHECK(two.ann.read("tasks/row-002.md") == "---\ntitle: Theirs\n---\n");
  CHECK_FALSE(two.ann.has("tasks/row-003.md"));
  const std::string referring = two.ann.read("tasks/row-001.md");
  CHECK(referring.find("after: row-002-deleted") != std::string::npos);
  CHECK(referring.find("[[row-002-deleted]]") != std::string::npos);
  CHECK(two.ann.run({"check"}).out.find("row-002-deleted") != std::string::npos);
}

TEST_CASE("renumbering by hand clears the way for a merge by hand", "[sync]") {
  Two two;
  two.collide();
  two.ann.commit("ours");
  two.ann.git({"fetch", "--quiet"});
  Finished planned = two.ann.run({"git", "renumber", "origin/main", "--dry-run", "--json"});
  CHECK(planned.out.find("row-003") != std::string::npos);
  CHECK(two.ann.has("tasks/row-002.md"));
  CHECK(two.ann.run({"git", "renumber"}).exit_code == 0);
  two.ann.git({"merge", "--quiet", "--no-edit", "origin/main"});
  CHECK(two.ann.read("tasks/row-002.md") == "---\ntitle: Theirs\n---\n");
  CHECK(two.ann.read("tasks/row-001.md").find("after: row-003") != std::string::npos);
  CHECK(two.ann.run({"check"}).exit_code == 0);
}

TEST_CASE("settling a row that one side deleted keeps what was written into it since", "[sync]") {
  const Two two;
  two.plain.write("tasks/row-001.md", "---\ntitle: One\nstatus: late\n---\n");
  two.plain.commit("late");
  two.plain.git({"push", "--quiet"});
  two.ann.remove("tasks/row-001.md");
  CHECK(two.ann.run({"sync"}).exit_code == 1);
  const std::string edited = "---\ntitle: One\nstatus: late\n---\n\nWritten meanwhile\n";
  two.ann.write("tasks/row-001.md", edited);
  const Finished refused =
      two.ann.run({"resolve", "tasks", "row-001", "--field", "_row", "--ours"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.err.find("edited after the merge") != std::string::npos);
  CHECK(two.ann.read("tasks/row-001.md") == edited);
  CHECK(two.ann.run({"resolve", "tasks", "row-001", "--field", "_row", "--theirs"}).exit_code == 0);
  two.ann.sync();
  CHECK(two.ann.read("tasks/row-001.md") == edited);
}

TEST_CASE("an agent settles a conflict by resolving it or by writing the field", "[sync]") {
  for (const bool by_update : {false, true}) {
    Two two;
    two.plain.write("tasks/row-001.md", "---\ntitle: One\nstatus: late\n---\n");
    two.plain.commit("late");
    two.plain.git({"push", "--quiet"});
    two.ann.write("tasks/row-001.md", "---\ntitle: One\nstatus: done\n---\n");
    CHECK(two.ann.run({"sync"}).exit_code == 1);
    const Finished settled =
        by_update ? two.ann.run({"update", "tasks", "row-001", "--set", "status=late"})
                  : two.ann.run({"call",
                                 "db_resolve",
                                 R"({"database_id":"tasks","row_id":"row-001","field":"status",)"
                                 R"("side":"theirs"})"});
    INFO(settled.err << settled.out);
    CHECK(settled.exit_code == 0);
    two.ann.sync();
    CHECK(two.ann.read("tasks/row-001.md") == "---\ntitle: One\nstatus: late\n---\n");
    CHECK(two.ann.git({"log", "-1", "--format=%P"}).size() == 81);
  }
}

}  // namespace notesdb::sync_test
