#include "files/names.h"

#include <catch2/catch.hpp>

using namespace notesdb;

TEST_CASE("a path stays below the root by its text alone", "[files]") {
  for (const char* path : {".", "a", "a/b.md", "a/.hidden", "a/b c/d", "-rf.md", "café/é.md"}) {
    INFO(path);
    CHECK(check_path(path));
  }
  const std::string with_nul("a\0b", 3);
  for (const std::string& path : {std::string(),
                                  std::string("/etc/passwd"),
                                  std::string(".."),
                                  std::string("a/../b"),
                                  std::string("a/./b"),
                                  std::string("./a"),
                                  std::string("a//b"),
                                  std::string("a/"),
                                  std::string("a\\b"),
                                  with_nul}) {
    INFO(path);
    const Result<void> fits = check_path(path);
    REQUIRE_FALSE(fits);
    CHECK(fits.error().code == ErrorCode::path_not_allowed);
  }
}

TEST_CASE("a new name travels to every system", "[files]") {
  for (const char* name : {"row-001.md",
                           "My Tasks",
                           "日本語.md",
                           "café.md",
                           "a.b.c",
                           "console.md",
                           "com10.md",
                           "😀.md",
                           "README",
                           "_schema.md"}) {
    INFO(name);
    CHECK(check_new_name(name));
  }
  for (const char* name : {"",
                           "-rf.md",
                           ".hidden",
                           "~x",
                           " x",
                           "x ",
                           "x.",
                           "CON",
                           "con.md",
                           "aux.txt",
                           "LPT1.md",
                           "nul",
                           "a:b",
                           "a*b",
                           "a?b",
                           "a<b",
                           "a|b",
                           "a\"b",
                           "a/b",
                           "a\\b",
                           "a\nb",
                           "a\tb",
                           "a\x7f"
                           "b",
                           "a\xc2\x85"
                           "b",
                           "a\u202e",
                           "a\xe2\x80\x8b"
                           "b",
                           "a\xef\xbb\xbf"
                           "b",
                           "cafe\xcc\x81.md",
                           "a\xff.md",
                           ".."}) {
    INFO(name);
    CHECK_FALSE(check_new_name(name));
  }
  CHECK(check_new_name(std::string(180, 'a')));
  CHECK_FALSE(check_new_name(std::string(181, 'a')));
}

TEST_CASE("names that one file system takes for one are folded to one", "[files]") {
  CHECK(folded_name("Row.md") == folded_name("rOW.MD"));
  CHECK(folded_name("caf\xc3\xa9") == folded_name("cafe\xcc\x81"));
  CHECK(folded_name("row-1") != folded_name("row-01"));
}

TEST_CASE("stem and ending divide a name at its last dot", "[files]") {
  CHECK(stem_of("a.b.md") == "a.b");
  CHECK(ending_of("a.b.md") == ".md");
  CHECK(ending_of(".md").empty());
  CHECK(stem_of(".md") == ".md");
  CHECK(ending_of("README").empty());
  CHECK(folder_of("a/b/c.md") == "a/b");
  CHECK(folder_of("c.md") == ".");
  CHECK(name_in("a/b/c.md") == "c.md");
  CHECK(join_path(".", "c.md") == "c.md");
  CHECK(join_path("a/b", "c.md") == "a/b/c.md");
}

TEST_CASE("what editors and sync programs drop is not a row", "[files]") {
  for (const char* name : {".row.md.swp",
                           ".#row.md",
                           "#row.md#",
                           "row.md~",
                           "row.md.orig",
                           "row.md.rej",
                           "4913",
                           "sedAb12Xy",
                           ".row.md.Ab12Xy",
                           ".syncthing.row.md.tmp",
                           "~syncthing~row.md.tmp",
                           "row.md.icloud"}) {
    INFO(name);
    CHECK(is_dropping(name));
  }
  for (const char* name :
       {"row.md", "sedation.md", "a#b.md", "row.orig.md", ".gitignore", "12.md"}) {
    INFO(name);
    CHECK_FALSE(is_dropping(name));
  }
}

TEST_CASE("conflict copies are told from rows", "[files]") {
  for (const char* name : {"x.sync-conflict-20260102-090500-ABCDEFG.md",
                           "x (Bob's conflicted copy 2026-01-02).md",
                           "x (conflict 2026-01-02 090500 k3f9).md"}) {
    INFO(name);
    CHECK(is_conflict_copy(name));
  }
  for (const char* name : {"x (draft).md", "conflict.md", "a conflict (of interest).md"}) {
    INFO(name);
    CHECK_FALSE(is_conflict_copy(name));
  }
}
