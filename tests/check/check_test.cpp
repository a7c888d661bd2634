// Everything wrong in a workspace, and what --fix does about it.
#include "check/check.h"

#include <algorithm>

#include "database/made_workspace.h"

namespace notesdb {
namespace {

constexpr std::string_view schema = R"(---
name: T
columns:
  - {id: title, type: text, required: true}
  - {id: status, type: select, options: [open, done]}
  - {id: code, type: text, unique: true}
  - {id: up, type: relation, target: t}
---
)";

std::vector<std::string> rules_at(const CheckAnswer& answer, const std::string& path) {
  std::vector<std::string> rules;
  for (const Issue& issue : answer.issues)
    if (issue.path == path) rules.push_back(issue.rule);
  return rules;
}

using Rules = std::vector<std::string>;

TEST_CASE("a check names what is wrong in every file at once", "[check]") {
  MadeWorkspace made;
  made.write("t/_schema.md", schema);
  made.write("t/clean.md", "---\ntitle: a\nstatus: open\ncode: A\nup: clean\n---\n");
  made.write("t/wrong.md", "---\nstatus: Done\ncode: A\nup: nobody\n---\n");
  made.write("t/broken.md", "---\ntitle: a: b\n---\n");
  made.write("t/open.md", "---\ntitle: a\n");
  made.write("t/unseen.md", "---\ntitle: a\xE2\x80\x8B\n---\n");
  made.write("t/x.sync-conflict-20260101-000000-ABC.md", "---\ntitle: a\n---\n");
  made.write("t/merge.md", "---\ntitle: a\n---\ntext\n<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n");
  made.write("t/Clean.md", "---\ntitle: a\n---\n");
  made.write("bad/_schema.md", "---\nname: x\n---\n");
  const auto answer = check(made.open(), {});
  REQUIRE(answer);
  CHECK(answer->databases == 2);
  CHECK(rules_at(*answer, "t/wrong.md") == Rules{"required", "option", "unique", "relation"});
  CHECK(rules_at(*answer, "t/broken.md") == Rules{"yaml"});
  CHECK(rules_at(*answer, "t/open.md") == Rules{"unreadable"});
  CHECK(rules_at(*answer, "t/unseen.md") == Rules{"invisible"});
  CHECK(rules_at(*answer, "t/merge.md") == Rules{"conflict"});
  CHECK(rules_at(*answer, "t/x.sync-conflict-20260101-000000-ABC.md") == Rules{"conflict-copy"});
  CHECK(rules_at(*answer, "bad/_schema.md") == Rules{"schema"});
  CHECK(rules_at(*answer, "t/Clean.md").size() + rules_at(*answer, "t/clean.md").size() == 1);
  CHECK_FALSE(made.has_trace());
}

TEST_CASE("rows in folders where no links are looked for are checked too", "[check]") {
  constexpr std::string_view markers = "---\ntitle: a\n---\n<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n";
  MadeWorkspace made;
  made.write("t/_schema.md",
             "---\nname: T\ncolumns: [{id: title, type: text}]\n"
             "rows: {include: [\"*.md\", \"assets/*.md\", \".kept/*.md\"]}\n---\n");
  made.write("t/a.md", markers);
  made.write("t/assets/b.md", markers);
  made.write("t/.kept/c.md", markers);
  made.write("u/_schema.md", schema);
  made.write("u/a.md", markers);
  auto& workspace = made.open();
  for (int again = 0; again < 3; ++again) {
    const auto answer = check(workspace, {.database_id = "t"});
    REQUIRE(answer);
    CHECK(answer->issues.size() == 3);
    CHECK(rules_at(*answer, "t/a.md") == Rules{"conflict"});
    CHECK(rules_at(*answer, "t/assets/b.md") == Rules{"conflict"});
    CHECK(rules_at(*answer, "t/.kept/c.md") == Rules{"conflict"});
    workspace.stay();
  }
}

TEST_CASE("an issue is at the line and column of its value", "[check]") {
  MadeWorkspace made;
  made.write("t/_schema.md", schema);
  made.write("t/a.md", "---\ntitle: a\nstatus: nope\n---\none\n\n<<<<<<< a\n=======\n>>>>>>> b\n");
  const auto answer = check(made.open(), {.database_id = "t"});
  REQUIRE(answer);
  REQUIRE(answer->issues.size() == 2);
  CHECK(to_text(answer->issues[0]).starts_with("t/a.md:3:9: error: 'nope' is not an option"));
  CHECK(to_text(answer->issues[1]).starts_with("t/a.md:7:1: error: a merge left"));
}

TEST_CASE("markers in a fenced block of code are an example", "[check]") {
  MadeWorkspace made;
  made.write("t/_schema.md", schema);
  made.write("t/a.md", "---\ntitle: a\n---\n```\n<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n```\n");
  CHECK(check(made.open(), {})->issues.empty());
}

TEST_CASE("a check can look at some files only", "[check]") {
  MadeWorkspace made;
  made.write("t/_schema.md", schema);
  made.write("t/a.md", "---\n---\n");
  made.write("t/b.md", "---\n---\n");
  CheckRequest request;
  request.paths.emplace();
  request.paths->insert("t/b.md");
  const auto answer = check(made.open(), request);
  REQUIRE(answer);
  CHECK(rules_at(*answer, "t/b.md") == Rules{"required"});
  CHECK(answer->issues.size() == 1);
}

TEST_CASE("fixing is one change that can be taken back", "[check]") {
  MadeWorkspace made;
  made.write("t/_schema.md", schema);
  made.write("t/a.md", "---\ntitle: a: b # kept\nstatus: Done\n---\n");
  made.write("t/b.md", "---\ntitle: a\nstatus: OPEN   # why\n---\nText.\n");
  made.write("t/c.md", "---\ntitle: a\nstatus: nope\n---\n");
  const auto before = made.files();

  const auto planned = fix(made.open(), {}, WriteMode::dry_run);
  REQUIRE(planned);
  CHECK(planned->files.size() == 2);
  CHECK(made.files() == before);
  CHECK_FALSE(made.has_trace());

  const auto fixed = fix(made.open(), {}, WriteMode::write);
  REQUIRE(fixed);
  CHECK(made.read("t/a.md") == "---\ntitle: a: b # kept\nstatus: done\n---\n");
  CHECK(made.read("t/b.md") == "---\ntitle: a\nstatus: open   # why\n---\nText.\n");
  CHECK(made.read("t/c.md") == before.at("t/c.md"));
  REQUIRE(fixed->files[1].fields.size() == 1);
  CHECK(fixed->files[1].fields[0].before == "status: OPEN   # why");

  REQUIRE(made.open().undo(fixed->change));
  CHECK(made.files() == before);
}

TEST_CASE("a read-only workspace is checked and not fixed", "[check]") {
  MadeWorkspace made;
  made.settings().read_only.value = true;
  made.write("t/_schema.md", schema);
  made.write("t/a.md", "---\ntitle: a\nstatus: Done\n---\n");
  CHECK(check(made.open(), {})->issues.size() == 1);
  const auto refused = fix(made.open(), {}, WriteMode::write);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::read_only);
}

}  // namespace
}  // namespace notesdb
