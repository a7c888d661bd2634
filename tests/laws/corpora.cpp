// Real folders, given a schema: a read-only tour leaves them byte for byte as they were, and the
// change of one field is a one-line diff.
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "driving/mcp_client.h"
#include "driving/workspace.h"

namespace notesdb {
namespace {

namespace fs = std::filesystem;
using driving::Json;
using driving::McpClient;
using driving::Workspace;

struct Corpus {
  const char* name;    // its schema is fixtures/corpora/<name>.yaml
  const char* folder;  // where its rows are
  int rows;            // without index.md and what has no front matter that can be told apart
  const char* field;   // what is edited
  Json value;
};

const std::vector<Corpus>& corpora() {
  static const std::vector<Corpus> all{
      {"adr", "decisions", 20, "nav_order", 777},
      {"advisories", "ansible", 66, "modified", "2026-01-31T09:05:00Z"},
      {"beans", "beans", 254, "priority", "some day"},
      {"recipes", "content", 349, "author", "somebody else"},
      {"spec-notes", "notes", 101, "status", "changed: yes"},
      {"tasks-vault", "vault", 139, "TQ_explain", true},
      {"topics", "topics", 1255, "created_by", "Somebody's #1"}};
  return all;
}

fs::path corpora_root() {
  const char* given = std::getenv("NOTESDB_CORPORA");  // NOLINT(concurrency-mt-unsafe)
  return given != nullptr ? fs::path(given)
                          : fs::path(NOTESDB_SOURCE_DIR) / ".." / "shared" / "corpora";
}

std::string git(const Workspace& workspace, const driving::Words& words) {
  driving::Words all{"git",
                     "-C",
                     workspace.root().string(),
                     "-c",
                     "user.name=tour",
                     "-c",
                     "user.email=tour@localhost",
                     "-c",
                     "core.autocrlf=false"};
  all.insert(all.end(), words.begin(), words.end());
  const auto done = driving::run(all, {{"GIT_CONFIG_NOSYSTEM", "1"}});
  if (done.exit_code != 0) FAIL("git " << words.front() << ": " << done.err);
  return done.out;
}

void check_out(const Corpus& corpus, const Workspace& workspace) {
  fs::copy(corpora_root() / corpus.name / corpus.folder,
           workspace.root() / "rows",
           fs::copy_options::recursive);
  driving::write_bytes(workspace.root() / "rows" / "_schema.yaml",
                       driving::read_bytes(fs::path(NOTESDB_SOURCE_DIR) / "fixtures" / "corpora" /
                                           (std::string(corpus.name) + ".yaml")));
  git(workspace, {"init", "--quiet"});
  git(workspace, {"add", "--all"});
  git(workspace, {"commit", "--quiet", "--message", "As it is"});
}

Json succeed(const Json& answer) {
  if (answer.contains("error")) FAIL_CHECK(answer.dump());
  return answer;
}

std::vector<std::string> all_ids(McpClient& client, int total) {
  std::vector<std::string> ids;
  while (static_cast<int>(ids.size()) < total) {
    const Json page = succeed(
        client.call("db_query", {{"database_id", "rows"}, {"limit", 100}, {"offset", ids.size()}}));
    if (!page.contains("rows") || page["rows"].empty()) break;
    for (const Json& row : page["rows"])
      ids.push_back(row.value("id", ""));
  }
  return ids;
}

// Asks everything that can be asked without changing anything.
void tour(const Corpus& corpus, const Workspace& workspace) {
  McpClient client(workspace.flags(), workspace.environment());
  const Json list = succeed(client.call("db_list", Json::object()));
  REQUIRE(list["databases"].size() == 1);
  CHECK(list["databases"][0]["row_count"] == corpus.rows);

  const Json schema = succeed(client.call("db_get_schema", {{"database_id", "rows"}}));
  for (const Json& column : schema["columns"]) {
    const Json filter{{"field", column["id"]}, {"operator", "is_not_empty"}};
    const Json answer = succeed(client.call("db_query",
                                            {{"database_id", "rows"},
                                             {"filters", filter},
                                             {"sort", {{"field", column["id"]}}},
                                             {"include_body", true},
                                             {"limit", 20}}));
    CHECK(answer["total"].get<int>() > 0);
  }
  const auto ids = all_ids(client, corpus.rows);
  CHECK(static_cast<int>(ids.size()) == corpus.rows);
  const std::size_t step = ids.size() / 40 + 1;
  for (std::size_t i = 0; i < ids.size(); i += step)
    CHECK(succeed(client.call("db_get_row", {{"database_id", "rows"}, {"row_id", ids[i]}}))
              .contains("row"));
}

// Sets the field in up to forty rows that have it; how many were changed.
int edit(const Corpus& corpus, const Workspace& workspace) {
  McpClient client(workspace.flags(), workspace.environment());
  const Json filter{{"field", corpus.field}, {"operator", "is_not_empty"}};
  const Json found = succeed(
      client.call("db_query", {{"database_id", "rows"}, {"filters", filter}, {"limit", 40}}));
  int changed = 0;
  for (const Json& row : found["rows"]) {
    const Json answer = succeed(client.call("db_update_row",
                                            {{"database_id", "rows"},
                                             {"row_id", row["id"]},
                                             {"etag", row["etag"]},
                                             {"fields", {{corpus.field, corpus.value}}}}));
    if (answer.value("changed", false)) ++changed;
    CHECK(answer["row"]["fields"][corpus.field] == corpus.value);
  }
  return changed;
}

void check_one_line_diffs(const Workspace& workspace, int changed) {
  std::istringstream lines(git(workspace, {"diff", "--numstat"}));
  std::string line;
  int files = 0;
  for (; std::getline(lines, line); ++files)
    if (line.rfind("1\t1\t", 0) != 0) FAIL_CHECK("not a one-line diff: " << line);
  CHECK(files == changed);
  CHECK(git(workspace, {"ls-files", "--others", "--exclude-standard"}).empty());
}

TEST_CASE("a tour leaves a real folder as it was, and an edit is a one-line diff", "[corpora]") {
  if (!fs::exists(corpora_root())) {
    WARN("skipped: no corpora; set NOTESDB_CORPORA to the folder that holds them");
    return;
  }
  for (const Corpus& corpus : corpora())
    DYNAMIC_SECTION(corpus.name) {
      const Workspace workspace;
      check_out(corpus, workspace);
      const driving::Tree before = driving::read_tree(workspace.root());
      tour(corpus, workspace);
      const std::string different =
          driving::difference(before, driving::read_tree(workspace.root()));
      if (!different.empty()) FAIL_CHECK("the tour changed the folder:\n" << different);
      CHECK_FALSE(fs::exists(workspace.root() / ".notesdb"));
      const int changed = edit(corpus, workspace);
      CHECK(changed > 0);
      check_one_line_diffs(workspace, changed);
    }
}

}  // namespace
}  // namespace notesdb
