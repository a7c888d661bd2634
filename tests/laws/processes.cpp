// Eight processes write into one database at once: nothing is lost, nothing is left lying about.
#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "driving/mcp_client.h"
#include "driving/workspace.h"

namespace notesdb {
namespace {

using driving::Json;
using driving::McpClient;
using driving::Workspace;

constexpr int kProcesses = 8;
constexpr int kEach = 25;  // of inserts and of increments, for every process

const char* const kSchema =
    "---\n# kept\nname: Things\ncolumns:\n  - id: title\n    type: text\n"
    "  - id: count\n    type: number\nnext_row_id: 1   # kept too\n---\n";

// What the processes did, as they were told.
struct Told {
  std::vector<std::string> ids;
  int increments = 0;
  int conflicts = 0;
  std::vector<std::string> failures;
};

std::string code_of(const Json& answer) {
  return answer.contains("error") ? answer["error"].value("code", "?") : "";
}

void insert(McpClient& client, Told& told, const std::string& title) {
  const Json answer =
      client.call("db_insert_row", {{"database_id", "things"}, {"fields", {{"title", title}}}});
  if (answer.contains("row"))
    told.ids.push_back(answer["row"].value("id", ""));
  else
    told.failures.push_back(answer.dump());
}

// Adds one to the counter; on a conflict the answer itself says what to try next.
void increment(McpClient& client, Told& told) {
  Json row = client.call("db_get_row", {{"database_id", "things"}, {"row_id", "counter"}})["row"];
  while (true) {
    const int next = row["fields"].value("count", 0) + 1;
    const Json answer = client.call("db_update_row",
                                    {{"database_id", "things"},
                                     {"row_id", "counter"},
                                     {"etag", row["etag"]},
                                     {"fields", {{"count", next}}}});
    if (answer.contains("row")) {
      ++told.increments;
      return;
    }
    if (code_of(answer) != "conflict") {
      told.failures.push_back(answer.dump());
      return;
    }
    ++told.conflicts;
    row = answer["error"]["data"]["row"];
  }
}

Told work(const Workspace& workspace, int process) {
  Told told;
  McpClient client(workspace.flags(), workspace.environment());
  for (int i = 0; i < kEach; ++i) {
    insert(client, told, "row " + std::to_string(i) + " of process " + std::to_string(process));
    increment(client, told);
  }
  return told;
}

std::vector<Told> work_at_once(const Workspace& workspace) {
  std::vector<Told> told(kProcesses);
  std::vector<std::thread> threads;
  for (int i = 0; i < kProcesses; ++i)
    threads.emplace_back([&, i] {
      try {
        told.at(static_cast<std::size_t>(i)) = work(workspace, i);
      } catch (const std::exception& error) {
        told.at(static_cast<std::size_t>(i)).failures.emplace_back(error.what());
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  return told;
}

TEST_CASE("eight processes insert and increment at once and nothing is lost", "[processes]") {
  const Workspace workspace;
  workspace.write("things/_schema.md", kSchema);
  workspace.write("things/counter.md", "---\ncount: 0   # how often\n---\n");

  std::set<std::string> ids;
  std::set<std::string> files{"things/_schema.md", "things/counter.md"};
  int increments = 0;
  for (const Told& told : work_at_once(workspace)) {
    for (const std::string& failure : told.failures)
      FAIL_CHECK(failure);
    for (const std::string& id : told.ids) {
      CHECK(ids.insert(id).second);
      files.insert("things/" + id + ".md");
    }
    increments += told.increments;
  }
  CHECK(ids.size() == kProcesses * kEach);
  CHECK(increments == kProcesses * kEach);

  const driving::Tree tree = driving::read_tree(workspace.root());
  CHECK(tree.at("things/counter.md") == "file:---\ncount: 200   # how often\n---\n");
  for (const auto& [path, content] : tree)
    if (files.erase(path) == 0) FAIL_CHECK("a stray file: " << path);
  for (const std::string& path : files)
    FAIL_CHECK("a row that was acknowledged is not there: " << path);
  CHECK(tree.at("things/_schema.md").find("\nnext_row_id: 201   # kept too\n") !=
        std::string::npos);
  const auto temporary = workspace.root() / ".notesdb" / "tmp";
  CHECK((!std::filesystem::exists(temporary) || std::filesystem::is_empty(temporary)));
}

}  // namespace
}  // namespace notesdb
