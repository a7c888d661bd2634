// A reply is given again only where answering again would give the same bytes.
#include "serving/remembered_replies.h"

#include <filesystem>
#include <thread>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"

namespace notesdb {
namespace {

using Words = std::vector<std::string>;

// A server's workspace whose files are old enough to be sure of, and what was asked of it.
class Asked {
 public:
  Asked() {
    for (const char* database : {"tasks", "notes"}) {
      made.write(std::string(database) + "/_schema.md", task_schema);
      made.write(std::string(database) + "/row-1.md", "---\ntitle: One\nstatus: open\n---\n");
    }
    made.write("notesdb.yaml", "max_rows: 3\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(2200));
    made.open().stay();
  }

  std::string ask(const Words& words) {
    const auto answer = [&](const LocalRequest& request) {
      ++answered;
      const auto rows = (*made.open().get(request.words.at(1)))->query({});
      LocalReply reply{.answered = rows.operator bool()};
      if (rows) reply.output.emplace_back(cli::Stream::out, std::to_string(rows->total));
      return reply;
    };
    return *replies_->reply_to(*encode(LocalRequest{.words = words}), answer);
  }
  // Asks until an answer is remembered: on a machine that is busy a second may be over too soon.
  bool is_remembered(const Words& words) {
    for (int attempt = 0; attempt < 50; ++attempt) {
      ask(words);
      const int before = answered;
      ask(words);
      if (answered == before) return true;
    }
    return false;
  }

  MadeWorkspace made;
  int answered = 0;

 private:
  std::unique_ptr<RememberedReplies> replies_ = std::make_unique<RememberedReplies>(made.open());
};

TEST_CASE("a reply is given again until its database or the settings change", "[serving]") {
  Asked asked;
  const Words question{"query", "tasks"};
  REQUIRE(asked.is_remembered(question));
  const std::string before = asked.ask(question);

  SECTION("a row is saved") {
    asked.made.write("tasks/row-1.md", "---\ntitle: Two\nstatus: open\n---\n");
    const int answered = asked.answered;
    CHECK(asked.ask(question) == before);  // as many rows as before
    CHECK(asked.answered > answered);
  }
  SECTION("a row is made") {
    asked.made.write("tasks/row-2.md", "---\ntitle: Two\n---\n");
    CHECK(asked.ask(question) != before);
  }
  SECTION("a row is removed") {
    std::filesystem::remove(asked.made.root() / "tasks/row-1.md");
    CHECK(asked.ask(question) != before);
  }
  SECTION("the schema is saved") {
    asked.made.write("tasks/_schema.md", std::string(task_schema) + "More.\n");
    const int answered = asked.answered;
    asked.ask(question);
    CHECK(asked.answered > answered);
  }
  SECTION("the folder is another") {
    std::filesystem::rename(asked.made.root() / "tasks", asked.made.root() / "away");
    asked.made.write("tasks/_schema.md", task_schema);
    CHECK(asked.ask(question) != before);
  }
  SECTION("the settings are saved") {
    asked.made.write("notesdb.yaml", "max_rows: 5\n");
    const int answered = asked.answered;
    asked.ask(question);
    CHECK(asked.answered > answered);
  }
  SECTION("another database is changed") {
    asked.made.write("notes/row-2.md", "---\ntitle: Two\n---\n");
    CHECK(asked.is_remembered(question));
  }
}

TEST_CASE("what may depend on anything but rows is answered anew", "[serving]") {
  Asked asked;
  REQUIRE(asked.is_remembered({"query", "tasks"}));
  for (const Words& words : {Words{"get", "tasks", "row-1"},
                             Words{"query", "tasks", "--where", "due < today+7d"},
                             Words{"query", "tasks", "--where", "due < NOW-2h"},
                             Words{"query", "tasks", "--view", "board"},
                             Words{"query", "tasks", "--where", "_modified > 2026-01-01"},
                             Words{"query", "tasks", "--filters", "[\"\\u0074oday\"]"}}) {
    for (int time = 0; time < 3; ++time) {
      const int answered = asked.answered;
      asked.ask(words);
      INFO(words.back());
      CHECK(asked.answered == answered + 1);
    }
  }
}

}  // namespace
}  // namespace notesdb
