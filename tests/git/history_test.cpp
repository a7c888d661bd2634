// Time travel and history over a real repository, made by the git of this machine.
#include "git/history.h"

#include <catch2/catch.hpp>

#include "database/write_rows.h"
#include "files/temporary_folder.h"
#include "git/past.h"

using namespace notesdb;

namespace {

constexpr const char* schema =
    "---\nname: T\ncolumns:\n  - id: title\n    type: text\n  - id: n\n    type: number\n---\n";

// A repository whose first commit has two rows, whose second changed one and removed the other.
class Clone {
 public:
  Clone() {
    git({"init", "--quiet"});
    git({"config", "user.name", "Anna"});
    git({"config", "user.email", "anna@example.org"});
    folder_.put("t/_schema.md", schema);
    folder_.put("t/a.md", "---\ntitle: A  # kept\nn: 1\n---\nText\n");
    folder_.put("t/b.md", "---\ntitle: B\n---\n");
    commit("first");
    folder_.put("t/a.md", "---\ntitle: A  # gone: kept\nn: 2\n---\nText\nMore\n");
    std::filesystem::remove(folder_.at("t/b.md"));
    commit("second");
    Settings settings;
    settings.root.value = folder_.path();
    settings.cache.value = false;
    workspace_ = *Workspace::open(settings);
  }

  Workspace& workspace() { return *workspace_; }
  const TemporaryFolder& folder() const { return folder_; }
  void commit(const std::string& message) {
    git({"add", "--all"});
    git({"commit", "--quiet", "-m", message});
  }

 private:
  void git(std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-C", folder_.path()});
    Result<ProgramEnd> end = run_program({.words = words});
    REQUIRE(end);
    INFO(end->err);
    REQUIRE(end->ok());
  }

  TemporaryFolder folder_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace

TEST_CASE("the past answers with its rows and cannot be written", "[git]") {
  Clone clone;
  Result<std::shared_ptr<Workspace>> past = past_workspace(clone.workspace(), "HEAD~1");
  REQUIRE(past);
  Result<Database*> database = (*past)->get("t");
  REQUIRE(database);
  Result<QueryAnswer> answer = (*database)->query({});
  REQUIRE(answer);
  REQUIRE(answer->total == 2);
  CHECK(*find_member(answer->rows[0].fields, "n") == Value(1));
  Result<Row> row = (*database)->get("b");
  REQUIRE(row);
  CHECK(*find_member(row->fields, "title") == Value("B"));
  CHECK_FALSE(remove_row(**past, "t", "b"));
  CHECK(clone.folder().has("t/a.md"));
  CHECK_FALSE(past_workspace(clone.workspace(), "nothing"));
  CHECK_FALSE(past_workspace(clone.workspace(), "--all"));
  CHECK_FALSE(past_workspace(clone.workspace(), "1999-01-01"));
}

TEST_CASE("the history of a row tells fields, from what to what and by whom", "[git]") {
  Clone clone;
  Result<std::vector<Revision>> log = log_rows(clone.workspace(), "t", "a", 0);
  REQUIRE(log);
  REQUIRE(log->size() == 2);
  CHECK((*log)[0].author == "Anna");
  CHECK((*log)[0].message == "second");
  REQUIRE((*log)[0].rows.size() == 1);
  const std::vector<FieldDifference>& fields = (*log)[0].rows[0].fields;
  REQUIRE(fields.size() == 2);
  CHECK(fields[0].field == "n");
  CHECK(fields[0].from == Value(1));
  CHECK(fields[0].to == Value(2));
  CHECK(fields[1].to == Value("+1 -0 lines"));
  Result<std::vector<Revision>> removed = log_rows(clone.workspace(), "t", "b", 0);
  REQUIRE(removed);
  CHECK(removed->size() == 2);
}

TEST_CASE("two states differ by rows and fields, new files included", "[git]") {
  Clone clone;
  clone.folder().put("t/c.md", "---\ntitle: C\n---\n");
  Result<std::vector<RowDifference>> rows = compare_states(clone.workspace(), "HEAD~1", "");
  REQUIRE(rows);
  REQUIRE(rows->size() == 3);
  CHECK((*rows)[0].fate == RowFate::changed);
  CHECK((*rows)[1].fate == RowFate::removed);
  CHECK((*rows)[2].row_id == "c");
  CHECK(summarise(*rows) == "t: a (n, text), b removed, c added");
}

TEST_CASE("a row comes back byte for byte, also one that was removed", "[git]") {
  Clone clone;
  Result<WriteAnswer> dry = restore_row(clone.workspace(), "t", "a", "HEAD~1", WriteMode::dry_run);
  REQUIRE(dry);
  CHECK(dry->diff.find("\n-n: 2\n") != std::string::npos);
  CHECK(dry->diff.find("\n+n: 1\n") != std::string::npos);
  CHECK(clone.folder().get("t/a.md").find("n: 2") != std::string::npos);
  REQUIRE(restore_row(clone.workspace(), "t", "a", "HEAD~1", WriteMode::write));
  CHECK(clone.folder().get("t/a.md") == "---\ntitle: A  # kept\nn: 1\n---\nText\n");
  REQUIRE(restore_row(clone.workspace(), "t", "b", "HEAD~1", WriteMode::write));
  CHECK(clone.folder().get("t/b.md") == "---\ntitle: B\n---\n");
  Result<WriteAnswer> never = restore_row(clone.workspace(), "t", "x", "HEAD~1", WriteMode::write);
  REQUIRE_FALSE(never);
  CHECK(never.error().code == ErrorCode::unknown_row);
}

TEST_CASE("dates that writes set come back with the row", "[git]") {
  Clone clone;
  const std::string dates = "made: 2020-01-01\nchanged: 2020-02-02\n---\n";
  clone.folder().put("t/_schema.md",
                     "---\nname: T\ncolumns:\n  - {id: title, type: text}\n"
                     "  - {id: made, type: date, auto: created, required: true}\n"
                     "  - {id: changed, type: date, auto: updated}\n---\n");
  clone.folder().put("t/a.md", "---\ntitle: A\n" + dates);
  clone.folder().put("t/b.md", "---\ntitle: B\n" + dates);
  clone.commit("dates");
  clone.folder().put("t/a.md", "---\ntitle: other\nchanged: 2021-01-01\n---\n");
  std::filesystem::remove(clone.folder().at("t/b.md"));
  for (const std::string row : {"a", "b"}) {
    const auto done = restore_row(clone.workspace(), "t", row, "HEAD", WriteMode::write);
    INFO((done ? "" : done.error().message));
    REQUIRE(done);
  }
  CHECK(clone.folder().get("t/a.md") == "---\ntitle: A\n" + dates);
  CHECK(clone.folder().get("t/b.md") == "---\ntitle: B\n" + dates);
}
