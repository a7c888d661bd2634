#include "files/writable_path.h"

#include <catch2/catch.hpp>

using namespace notesdb;

TEST_CASE("rows, schemas and settings may be written", "[files][paths]") {
  for (const std::string path : {"a.md",
                                 "stories/a.yaml",
                                 "stories/_schema.md",
                                 "notesdb.yaml",
                                 "a/b/c.yml",
                                 "…and then.md",
                                 "caf\u00e9.MD",
                                 "x/notes.base",
                                 "gift~1.md",
                                 "a.git/b.md",
                                 "digit~x.md"}) {
    INFO(path);
    CHECK(check_writable_path(path));
  }
  CHECK(check_writable_folder("stories/2026"));
}

TEST_CASE("nothing else may be, however it is written", "[files][paths]") {
  for (const std::string path : {".git/a.md",
                                 "a/.git/b.md",
                                 ".notesdb/a.md",
                                 ".hidden.md",
                                 "a/.b.md",
                                 "node_modules/a.md",
                                 "a/Node_Modules/b.md",
                                 "../a.md",
                                 "/a.md",
                                 "a//b.md",
                                 "a/./b.md",
                                 "a\\b.md",
                                 "run.sh",
                                 "Makefile",
                                 "a.py",
                                 "a.md.exe",
                                 ".",
                                 "",
                                 "git~1/a.md",
                                 "GIT~1/a.md",
                                 "a/git~2.md",
                                 "NOTESD~1/a.md",
                                 "\u200c.git/a.md",
                                 ".g\u200cit/a.md",
                                 "\ufeff.git/a.md",
                                 "\u2024git/a.md",
                                 "\uff0egit/a.md",
                                 "\u200b/a.md"}) {
    INFO(path);
    REQUIRE_FALSE(check_writable_path(path));
    CHECK(check_writable_path(path).error().code == ErrorCode::path_not_allowed);
  }
  CHECK_FALSE(check_writable_folder("a/.git"));
  CHECK_FALSE(check_writable_folder("."));
}

TEST_CASE("a step is looked at with all its paths", "[files][paths]") {
  CHECK(check_writable_step(StepKind::rename, "a.md", "b.md"));
  CHECK_FALSE(check_writable_step(StepKind::rename, "a.md", "b.sh"));
  CHECK_FALSE(check_writable_step(StepKind::rename, "a.md", ".git/b.md"));
  CHECK_FALSE(check_writable_step(StepKind::rename, "a.sh", "b.md"));
  CHECK(check_writable_step(StepKind::create_folder, "a", ""));
  CHECK_FALSE(check_writable_step(StepKind::remove_folder, "a/.git", ""));
  CHECK(check_writable_step(StepKind::replace, "a\t.md", ""));
  CHECK_FALSE(check_writable_step(StepKind::create, "a\t.md", ""));
}
