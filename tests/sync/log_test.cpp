// The log of a row through merges and renames.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sync/clone.h"

namespace notesdb::sync_test {
namespace {

using Json = nlohmann::ordered_json;

// A repository of one clone, whose commits are made by git alone.
class Story {
 public:
  Story() {
    write("tasks/_schema.md",
          "---\nname: Tasks\ncolumns:\n  - { id: status, type: text }\n"
          "  - { id: owner, type: text }\n---\n");
    write("tasks/a.md", "---\nstatus: open\nowner: ann\n---\n\nA text that is long enough.\n");
    commit("first");
  }

  void write(const std::string& name, const std::string& bytes) const { clone.write(name, bytes); }
  // By an author of that name, which tells the commits apart.
  void commit(const std::string& author) const {
    clone.git({"add", "--all"});
    clone.git({"-c", "user.name=" + author, "commit", "--quiet", "-m", "changed"});
  }
  // Who changed what, newest first: "author: field=value field=value".
  std::vector<std::string> log(const std::string& row) const {
    Finished done = clone.run({"log", "tasks", row, "--json"});
    INFO(done.err);
    REQUIRE(done.exit_code == 0);
    std::vector<std::string> lines;
    std::string commit;
    const Json answer = Json::parse(done.out);
    for (const Json& change : answer["changes"]) {
      if (change["commit"] != commit) lines.push_back(change["author"].get<std::string>() + ":");
      commit = change["commit"];
      const std::string field = change.value("field", "_body");
      if (field != "_body") lines.back() += " " + field + "=" + change.value("to", "");
    }
    CHECK(answer["commits"] == lines.size());
    return lines;
  }

  Clones clones;
  Clone clone = clones.make("clone");
};

}  // namespace

TEST_CASE("the log shows both sides of a merge, and what the merge itself decided", "[sync]") {
  Story story;
  story.clone.git({"checkout", "--quiet", "-b", "side"});
  story.write("tasks/a.md", "---\nstatus: doing\nowner: ann\n---\n\nA text that is long enough.\n");
  story.commit("theirs");
  story.clone.git({"checkout", "--quiet", "main"});
  story.write("tasks/a.md", "---\nstatus: done\nowner: bob\n---\n\nA text that is long enough.\n");
  story.commit("ours");
  CHECK(story.clone.try_git({"merge", "--quiet", "side"}).exit_code == 1);
  story.write("tasks/a.md", "---\nstatus: late\nowner: bob\n---\n\nA text that is long enough.\n");
  story.commit("settled");
  std::vector<std::string> log = story.log("a");
  REQUIRE(log.size() == 4);
  CHECK(log[0] == "settled: status=late");
  CHECK(std::count(log.begin(), log.end(), "ours: status=done owner=bob") == 1);
  CHECK(std::count(log.begin(), log.end(), "theirs: status=doing") == 1);
}

TEST_CASE("a row whose name could be a pattern has a log of its own", "[sync]") {
  const Story story;
  story.write("tasks/a[bc].md", "---\nstatus: begun\nowner: ann\n---\n");
  story.commit("own");
  story.write("tasks/ab.md", "---\nstatus: open\nowner: bob\n---\n");
  story.commit("other");
  CHECK(story.log("a[bc]") == std::vector<std::string>{"own: status=begun owner=ann"});
}

TEST_CASE("a side that a merge decided against is in the log", "[sync]") {
  Story story;
  story.clone.git({"checkout", "--quiet", "-b", "side"});
  story.write("tasks/a.md", "---\nstatus: doing\nowner: ann\n---\n\nA text that is long enough.\n");
  story.commit("theirs");
  story.clone.git({"checkout", "--quiet", "main"});
  story.write("tasks/a.md", "---\nstatus: done\nowner: ann\n---\n\nA text that is long enough.\n");
  story.commit("ours");
  story.clone.git({"merge", "--quiet", "-s", "ours", "-m", "ours", "side"});
  std::vector<std::string> log = story.log("a");
  CHECK(std::count(log.begin(), log.end(), "theirs: status=doing") == 1);
  CHECK(log.size() == 3);
}

TEST_CASE("a change under the old name of a row is in its log, another row of that name is not",
          "[sync]") {
  Story story;
  story.clone.git({"checkout", "--quiet", "-b", "side"});
  story.clone.git({"mv", "tasks/a.md", "tasks/b.md"});
  story.commit("renamed");
  story.clone.git({"checkout", "--quiet", "main"});
  story.write("tasks/a.md", "---\nstatus: done\nowner: ann\n---\n\nA text that is long enough.\n");
  story.commit("changed");
  story.clone.git({"merge", "--quiet", "-m", "joined", "side"});
  story.write("tasks/a.md", "---\nstatus: new\n---\n\nSomething else.\n");
  story.commit("another");
  std::vector<std::string> log = story.log("b");
  CHECK(std::count(log.begin(), log.end(), "changed: status=done") == 1);
  CHECK(std::count(log.begin(), log.end(), "first: status=open owner=ann") == 1);
  CHECK(std::count(log.begin(), log.end(), "renamed:") == 1);
  CHECK(log.size() == 3);
  CHECK(story.log("a").front() == "another: status=new");
}

}  // namespace notesdb::sync_test
