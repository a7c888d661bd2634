// Which files are rows, and which ids are refused.
#include <algorithm>

#include <catch2/catch.hpp>

#include "index/paths.h"

namespace notesdb {
namespace {

bool matches(std::string_view pattern, std::string_view path) {
  const auto glob = Glob::parse(pattern);
  REQUIRE(glob);
  return glob->matches(path);
}

TEST_CASE("a star stays within one folder and two stars cross them", "[index]") {
  CHECK(matches("*.md", "a.md"));
  CHECK_FALSE(matches("*.md", "sub/a.md"));
  CHECK(matches("**/*.md", "a.md"));
  CHECK(matches("**/*.md", "x/y/a.md"));
  CHECK(matches("archive/**", "archive/x/a.md"));
  CHECK_FALSE(matches("archive/**", "archived/a.md"));
  CHECK(matches("a/**/b.md", "a/b.md"));
  CHECK_FALSE(matches("a/**/b.md", "a/xb.md"));
}

TEST_CASE("question marks and sets stand for one character of any script", "[index]") {
  CHECK(matches("caf?.md", "café.md"));
  CHECK(matches("[a-c]x.md", "bx.md"));
  CHECK_FALSE(matches("[!a-c]x.md", "bx.md"));
  CHECK_FALSE(matches("a?b", "a/b"));
  CHECK(matches("a\\*b", "a*b"));
  CHECK_FALSE(matches("a\\*b", "axb"));
}

// A set of one letter is not looked at from either side, so that it says what the letter must.
TEST_CASE("a glob that is looked at from either side matches as one that is read on", "[index]") {
  const std::pair<const char*, const char*> same[] = {{"**/*.md", "**/*[.]md"},
                                                      {"*.md", "*[.]md"},
                                                      {"a/**/*.md", "[a]/**/*.md"},
                                                      {"a/*.md", "[a]/*.md"},
                                                      {"a/**", "[a]/**"},
                                                      {"a*", "[a]*"},
                                                      {"**/*", "**/**/*"},
                                                      {"a.md", "[a].md"},
                                                      {"*a", "*[a]"}};
  const std::string letters = "a./md\xC3\xA4";
  std::vector<std::string> paths{
      "a", "a/", "a/b.md", "a.md", ".md", "md", "a/.md", "a/b/c.md", "ab.md"};
  std::uint32_t seed = 7;
  for (int i = 0; i < 20'000; ++i) {
    std::string path;
    for (seed = seed * 1664525 + 1013904223; path.size() < 1 + (seed >> 29);) {
      seed = seed * 1664525 + 1013904223;
      path += letters[(seed >> 16) % letters.size()];
      if (path.size() > 7) break;
    }
    paths.push_back(path);
  }
  for (const auto& [plain, slow] : same) {
    const auto one = Glob::parse(plain);
    const auto other = Glob::parse(slow);
    REQUIRE(one);
    REQUIRE(other);
    for (const std::string& path : paths) {
      CAPTURE(plain, path);
      if (one->matches(path) != other->matches(path)) FAIL();
    }
  }
}

TEST_CASE("a glob of many stars takes no time on a long path", "[index]") {
  std::string pattern;
  for (int i = 0; i < 200; ++i)
    pattern += "*a";
  CHECK_FALSE(matches(pattern, std::string(2000, 'a') + "b"));
}

TEST_CASE("a glob that is none is refused", "[index]") {
  for (const char* bad : {"", "/etc/*", "[abc"})
    CHECK_FALSE(Glob::parse(bad));
}

TEST_CASE("a walk enters only folders in which a row may lie", "[index]") {
  const auto names = RowNames::of({{"notes/**/*.md"}, {}, RowLayout::file});
  REQUIRE(names);
  CHECK(names->enters("notes"));
  CHECK(names->enters("notes/deep"));
  CHECK_FALSE(names->enters("other"));
  CHECK_FALSE(names->enters("notes/node_modules"));
  CHECK_FALSE(names->enters(".git"));
}

TEST_CASE("without include the files of the folder itself are rows, but no special names",
          "[index]") {
  const auto names = RowNames::of({});
  REQUIRE(names);
  for (const char* row : {"a.md", "b.yaml", "c.yml", "v1.2 notes.md", "日本.md"}) {
    CHECK(names->role_of(row) == FileRole::row);
  }
  for (const char* other : {"README.md",
                            "index.md",
                            "_draft.md",
                            ".hidden.md",
                            "_schema.md",
                            "a.txt",
                            ".md",
                            "sub/a.md",
                            "#a.md#",
                            "a.md~",
                            ".#a.md"}) {
    CHECK(names->role_of(other) == FileRole::other);
  }
  CHECK(names->role_of("a.sync-conflict-20260101-120000-ABC.md") == FileRole::conflict_copy);
  CHECK(names->id_of("v1.2 notes.md") == "v1.2 notes");
}

TEST_CASE("special names are rows where an include names them", "[index]") {
  const auto all = RowNames::of({{"**/*.md"}, {}, RowLayout::file});
  CHECK(all->role_of("docs/README.md") == FileRole::other);
  const auto named = RowNames::of({{"docs/README.md", "_*.md"}, {}, RowLayout::file});
  CHECK(named->role_of("docs/README.md") == FileRole::row);
  CHECK(named->role_of("_draft.md") == FileRole::row);
  CHECK(named->role_of("_schema.md") == FileRole::other);
}

TEST_CASE("with one folder per row the id is the folder", "[index]") {
  const auto names = RowNames::of({{}, {}, RowLayout::folder});
  REQUIRE(names);
  CHECK(names->role_of("git/index.md") == FileRole::row);
  CHECK(names->role_of("git/_index.md") == FileRole::row);
  CHECK(names->role_of("git/other.md") == FileRole::other);
  CHECK(names->role_of("index.md") == FileRole::other);
  CHECK(names->id_of("git/index.md") == "git");
  CHECK(names->candidates("git").front() == "git/index.md");
  CHECK(std::ranges::count(names->candidates("git"), "git/_index.md") == 1);
}

TEST_CASE("files and folders of one database are rows side by side", "[index]") {
  const auto names = RowNames::of({{}, {}, RowLayout::mixed});
  REQUIRE(names);
  for (const char* row : {"foo.md", "baz/index.md", "qux/index.fr.md", "v1.2/index.mdx"})
    CHECK(names->role_of(row) == FileRole::row);
  for (const char* other : {"index.md",
                            "_index.md",
                            "baz/_index.md",
                            "baz/extra.md",
                            "baz/index.html.md",
                            "a/b/index.md"})
    CHECK(names->role_of(other) == FileRole::other);
  CHECK(names->id_of("baz/index.md") == "baz");
  CHECK(names->id_of("qux/index.fr.md") == "qux.fr");
  CHECK(names->id_of("qux/index.pt-br.md") == "qux.pt-br");
  CHECK(names->id_of("foo.fr.md") == "foo.fr");
  CHECK(names->candidates("qux.fr").front() == "qux.fr.md");
  CHECK(std::ranges::count(names->candidates("qux.fr"), "qux/index.fr.md") == 1);
  CHECK(names->is_bundle("baz/index.md"));
  CHECK_FALSE(names->is_bundle("foo.md"));
}

TEST_CASE("a renamed row stays the kind of file that it is", "[index]") {
  const auto names = RowNames::of({{"**/*.md", "**/*.mdx"}, {}, RowLayout::mixed});
  REQUIRE(names);
  CHECK(names->path_under("foo.mdx", "bar") == "bar.mdx");
  CHECK(names->path_under("baz/index.md", "bar") == "bar/index.md");
  CHECK(names->path_under("qux/index.fr.md", "new.fr") == "new/index.fr.md");
  CHECK(names->path_under("qux/index.fr.md", "new") == "new/index.md");
  const auto notes = RowNames::of({{"**/*.md"}, {}, RowLayout::mixed, FolderNote::name});
  REQUIRE(notes);
  CHECK(notes->id_of("a/Plan/Plan.md") == "a/Plan");
  CHECK(notes->id_of("a/Plan/Other.md") == "a/Plan/Other");
  CHECK(notes->path_under("a/Plan/Plan.md", "a/New Plan") == "a/New Plan/New Plan.md");
  CHECK(notes->role_of("a/index.md") == FileRole::other);
}

TEST_CASE("an include says which endings rows have", "[index]") {
  const auto usual = RowNames::of({});
  for (const char* row : {"a.md", "a.markdown", "a.mdx", "a.yaml"})
    CHECK(usual->role_of(row) == FileRole::row);
  for (const char* other : {"a.qmd", "a.Rmd", "a.txt"})
    CHECK(usual->role_of(other) == FileRole::other);
  const auto named = RowNames::of({{"*.qmd", "posts/*.Rmd"}, {}, RowLayout::file});
  CHECK(named->role_of("a.qmd") == FileRole::row);
  CHECK(named->role_of("posts/a.Rmd") == FileRole::row);
  CHECK(named->role_of("a.md") == FileRole::other);
  CHECK(named->candidates("a") == std::vector<std::string>{"a.qmd"});
}

TEST_CASE("ids that are no names are refused", "[index]") {
  for (const std::string& id : {std::string(""),
                                std::string("/etc/passwd"),
                                std::string(".."),
                                std::string("a/../b"),
                                std::string("a//b"),
                                std::string("./a"),
                                std::string("a\\b"),
                                std::string("a\0b", 3),
                                std::string(".git/x"),
                                std::string("_schema"),
                                std::string("\xff")}) {
    INFO(id);
    CHECK_FALSE(check_row_id(id));
    CHECK(check_row_id(id).error().code == ErrorCode::path_not_allowed);
  }
  CHECK(check_row_id("sub/row 1, the (first)"));
  const auto too_long = check_row_id(std::string(std::size_t{1} << 20U, 'x'));
  REQUIRE_FALSE(too_long);
  CHECK(too_long.error().message.size() < 200);
  for (const char* id : {"CON", "a:b", "-rf", "x.", "_x", "tab\tname", "a/aux"}) {
    INFO(id);
    CHECK_FALSE(check_new_row_id(id));
  }
  CHECK(check_new_row_id("Ein Titel (2)"));
}

}  // namespace
}  // namespace notesdb
