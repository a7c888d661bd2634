// A change of a schema that is killed in the middle has happened to all files or to none, as soon
// as the next command has run.
#include <filesystem>
#include <random>
#include <string>

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

pid_t start(const Workspace& workspace, const std::string& words) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  const std::string program = driving::program();
  const std::string root = workspace.root().string();
  const std::string cache = "XDG_CACHE_HOME=" + (workspace.root() / "../cache").string();
  const char* argv[] = {program.c_str(),
                        "alter",
                        "things",
                        "--root",
                        root.c_str(),
                        "--change",
                        words.c_str(),
                        nullptr};
  const char* environment[] = {cache.c_str(), nullptr};
  ::close(STDOUT_FILENO);
  ::close(STDERR_FILENO);
  ::execve(argv[0], const_cast<char**>(argv), const_cast<char**>(environment));
  ::_exit(127);
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
    kill_somewhere(workspace, start(workspace, "rename_column " + column + " " + other), chance);
    driving::Words words = workspace.flags();
    words.insert(words.begin(), driving::program());
    words.insert(words.end(), {"query", "things", "--count"});
    const driving::Finished next = driving::run(words, workspace.environment());
    INFO(next.err);
    CHECK(next.out == std::to_string(kRows) + "\n");
    const std::string schema = driving::read_bytes(workspace.root() / "things/_schema.md");
    if (schema == schema_with(other)) column = other;
    CHECK(schema == schema_with(column));
    int same = 0;
    for (int i = 0; i < kRows; ++i)
      same += driving::read_bytes(workspace.root() / path_of(i)) == row_with(column, i) ? 1 : 0;
    CHECK(same == kRows);
  }
}

}  // namespace notesdb
