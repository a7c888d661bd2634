// A command that changes many files and is killed in the middle has changed all of them or none, as
// soon as the next command has run.
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driving/folder.h"
#include "driving/process.h"
#include "driving/workspace.h"

namespace notesdb {
namespace {

using driving::Workspace;

constexpr int kRows = 60;
constexpr int kRounds = 16;

std::string schema_with(const std::string& column) {
  return "---\nname: Things\ncolumns:\n  - id: title\n    type: text\n  - id: " + column +
         "   # kept\n    type: number\n---\n";
}

std::string row_with(const std::string& column, int number) {
  return "---\ntitle: Thing\n" + column + ":   " + std::to_string(number) + "  # too\n---\nText\n";
}

std::string path_of(int number) {
  return "things/row-" + std::to_string(number) + ".md";
}

pid_t start(const Workspace& workspace, driving::Words words) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  words.insert(words.begin(), driving::program());
  for (const std::string& flag : workspace.flags())
    words.push_back(flag);
  std::vector<char*> argv;
  for (std::string& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  std::string cache = "XDG_CACHE_HOME=" + (workspace.root() / "../cache").string();
  std::string state = "XDG_STATE_HOME=" + (workspace.root() / "../state").string();
  char* const environment[] = {cache.data(), state.data(), nullptr};
  ::close(STDOUT_FILENO);
  ::close(STDERR_FILENO);
  ::execve(argv[0], argv.data(), environment);
  ::_exit(127);
}

// What the next command finds, once one that writes has finished what was begun: a refused one does.
std::string count_of_rows(const Workspace& workspace) {
  driving::Words refused{driving::program(), "undo", "no-such-change"};
  for (const std::string& flag : workspace.flags())
    refused.push_back(flag);
  CHECK(driving::run(refused, workspace.environment()).exit_code == 1);
  driving::Words words{driving::program(), "query", "things", "--count"};
  for (const std::string& flag : workspace.flags())
    words.push_back(flag);
  const driving::Finished next = driving::run(words, workspace.environment());
  INFO(next.err);
  CHECK(next.exit_code == 0);
  return next.out;
}

driving::Finished finish(const Workspace& workspace, driving::Words words) {
  words.insert(words.begin(), driving::program());
  for (const std::string& flag : workspace.flags())
    words.push_back(flag);
  return driving::run(words, workspace.environment());
}

// A list as a crash leaves it, of one step: a row that gets another name.
void leave_renaming(const Workspace& workspace, const std::string& from, const std::string& to) {
  const auto store = workspace.root() / ".notesdb";
  const std::string journal = driving::read_bytes(store / "displaced" / "journal");
  const std::string told = finish(workspace, {"get", "things", from, "--json"}).out;
  const std::size_t etag = told.find("\"etag\"");
  REQUIRE(etag != std::string::npos);
  const std::size_t begin = told.find('"', told.find(':', etag)) + 1;
  driving::write_bytes(store / "intent" / "current",
                       journal.substr(0, journal.find('\n') + 1) + "0000000000abcde\t0\trename\t" +
                           told.substr(begin, told.find('"', begin) - begin) + "\t-\tthings/" + from +
                           ".md\tthings/" + to + ".md\nend\n");
}

bool has_ended(pid_t child) {
  return ::waitpid(child, nullptr, WNOHANG) != 0;
}

// Kills it some microseconds after it began, or after it recorded what it is about to do.
void kill_somewhere(const Workspace& workspace, pid_t child, std::mt19937& chance) {
  const auto intent = workspace.root() / ".notesdb" / "intent" / "current";
  const bool waits_for_intent = chance() % 4 != 0;
  while (waits_for_intent && !std::filesystem::exists(intent)) {
    if (has_ended(child)) return;
  }
  ::usleep(static_cast<useconds_t>(chance() % 8'000));
  if (has_ended(child)) return;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace

TEST_CASE("an alter that is killed has happened wholly or not at all", "[laws]") {
  const Workspace workspace;
  std::string column = "size";
  workspace.write("things/_schema.md", schema_with(column));
  for (int i = 0; i < kRows; ++i)
    workspace.write(path_of(i), row_with(column, i));
  std::mt19937 chance(11);
  for (int round = 0; round < kRounds; ++round) {
    const std::string other = column == "size" ? "weight" : "size";
    const std::string change = "rename_column " + column + " " + other;
    kill_somewhere(workspace, start(workspace, {"alter", "things", "--change", change}), chance);
    CHECK(count_of_rows(workspace) == std::to_string(kRows) + "\n");
    const std::string schema = driving::read_bytes(workspace.root() / "things/_schema.md");
    if (schema == schema_with(other)) column = other;
    CHECK(schema == schema_with(column));
    int same = 0;
    for (int i = 0; i < kRows; ++i)
      same += driving::read_bytes(workspace.root() / path_of(i)) == row_with(column, i) ? 1 : 0;
    CHECK(same == kRows);
  }
}

TEST_CASE("an import that is killed has made all rows or none", "[laws]") {
  const driving::ScratchFolder scratch;
  const std::string file = (scratch.path() / "things.csv").string();
  std::string records = "_id,title,size\r\n";
  for (int i = 0; i < kRows; ++i)
    records += "thing-" + std::to_string(i) + ",Thing," + std::to_string(i) + "\r\n";
  driving::write_bytes(file, records);
  std::mt19937 chance(12);
  for (int round = 0; round < kRounds; ++round) {
    const Workspace workspace;
    workspace.write("things/_schema.md", schema_with("size"));
    kill_somewhere(workspace, start(workspace, {"import", "things", file}), chance);
    const std::string count = count_of_rows(workspace);
    CHECK((count == "0\n" || count == std::to_string(kRows) + "\n"));
    const std::size_t files = count == "0\n" ? 1 : kRows + 1;
    CHECK(driving::read_tree(workspace.root()).size() == files);
  }
}

TEST_CASE("who reads or tries out finishes nothing that a crash left", "[laws]") {
  const Workspace workspace;
  workspace.write("things/_schema.md", schema_with("size"));
  workspace.write(path_of(0), row_with("size", 0));
  REQUIRE(finish(workspace, {"insert", "things", "--row-id", "made"}).exit_code == 0);
  leave_renaming(workspace, "row-0", "renamed");
  const driving::Tree before = driving::read_tree(workspace.root());
  const std::vector<driving::Words> looks{{"list"},
                                          {"query", "things"},
                                          {"get", "things", "row-0"},
                                          {"check"},
                                          {"history", "things"},
                                          {"update", "things", "row-0", "--set", "size=2", "--dry-run"},
                                          {"undo", "--dry-run"}};
  for (const driving::Words& look : looks) {
    INFO(look.front());
    finish(workspace, look);
    CHECK(driving::difference(before, driving::read_tree(workspace.root())).empty());
  }
  REQUIRE(finish(workspace, {"insert", "things", "--row-id", "next"}).exit_code == 0);
  CHECK(std::filesystem::exists(workspace.root() / "things/renamed.md"));
  CHECK_FALSE(std::filesystem::exists(workspace.root() / path_of(0)));
}

}  // namespace notesdb
