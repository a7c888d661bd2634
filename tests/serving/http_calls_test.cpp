// What serves the page: POST /call/TOOL and GET /events, without a socket between.
#include "serving/http_calls.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "json/json_value.h"
#include "serving/change_feed.h"

namespace notesdb {
namespace {

HttpCallAnswer ask(MadeWorkspace& made,
                   std::string_view tool,
                   std::string_view arguments,
                   const ServingOptions& options = {}) {
  return answer_http_call(made.open(), options, tool, arguments, [] { return false; });
}

void write_tasks(const MadeWorkspace& made) {
  made.write("tasks/_schema.md", task_schema);
  made.write("tasks/a.md", "---\ntitle: One: two\nstatus: open\n---\n");
  made.write("tasks/b.md", "---\ntitle: Two\nstatus: done\n---\n");
}

std::string code_of(const HttpCallAnswer& answer) {
  const Result<Value> said = parse_json(answer.json);
  REQUIRE(said);
  const Value* code = said->find("code");
  return code == nullptr ? "" : code->text();
}

// What was written to a stream, for somebody who waits for it.
class HeardEvents : public mcp::EventSink {
 public:
  bool write(std::string_view bytes) override {
    const std::lock_guard guard(mutex_);
    text_ += bytes;
    heard_.notify_all();
    return !is_gone_;
  }
  bool closed() override {
    const std::lock_guard guard(mutex_);
    return is_gone_;
  }
  void leave() {
    const std::lock_guard guard(mutex_);
    is_gone_ = true;
  }
  bool hears(std::string_view wanted) {
    std::unique_lock guard(mutex_);
    return heard_.wait_for(
        guard, std::chrono::seconds(30), [&] { return text_.find(wanted) != std::string::npos; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable heard_;
  std::string text_;
  bool is_gone_ = false;
};

TEST_CASE("a call over HTTP is answered as the tool answers, and says whether it wrote",
          "[serving]") {
  MadeWorkspace made;
  write_tasks(made);
  const HttpCallAnswer read = ask(made, "db_query", R"({"database_id": "tasks", "limit": 1000})");
  CHECK(read.status == 200);
  CHECK_FALSE(read.wrote);
  CHECK(*parse_json(read.json)->find("total") == Value(2));
  const HttpCallAnswer made_row =
      ask(made, "db_insert_row", R"({"database_id": "tasks", "fields": {"title": "New"}})");
  CHECK(made_row.status == 200);
  CHECK(made_row.wrote);
  const HttpCallAnswer fixed = ask(made, "db_fix", R"({"paths": ["tasks/a.md"]})");
  CHECK(fixed.status == 200);
  CHECK(made.read("tasks/a.md").find("title: \"One: two\"") != std::string::npos);
}

TEST_CASE("a refusal over HTTP is its error as JSON, under the status that comes nearest",
          "[serving]") {
  MadeWorkspace made;
  write_tasks(made);
  CHECK(ask(made, "db_qeury", "{}").status == 404);
  CHECK(ask(made, "db_qeury", "{}").json.find("db_query") != std::string::npos);
  CHECK(ask(made, "rename", "{}").status == 404);
  CHECK(ask(made, "db_query", "{").status == 400);
  const HttpCallAnswer unknown = ask(made, "db_query", R"({"database_id": "taks"})");
  CHECK(unknown.status == 404);
  CHECK(code_of(unknown) == "unknown_database");
  const HttpCallAnswer stale = ask(
      made,
      "db_update_row",
      R"({"database_id": "tasks", "row_id": "b", "etag": "0000000000000000", "fields": {"status": "open"}})");
  CHECK(stale.status == 409);
  CHECK(code_of(stale) == "conflict");
  const HttpCallAnswer invalid =
      ask(made, "db_import", R"({"database_id": "tasks", "text": "title,status\nX,nope\n"})");
  CHECK(invalid.status == 422);
  CHECK(invalid.json.find("\"line\":2") != std::string::npos);
}

TEST_CASE("a read-only workspace refuses writers over HTTP, and checks without fixes",
          "[serving]") {
  MadeWorkspace made;
  made.settings().read_only.value = true;
  write_tasks(made);
  const auto before = made.files();
  for (const char* tool : {"db_fix", "db_infer", "db_create"}) {
    CAPTURE(tool);
    CHECK(ask(made, tool, "{}").status == 403);
  }
  const HttpCallAnswer checked = ask(made, "db_check", "{}");
  CHECK(checked.status == 200);
  CHECK(checked.json.find("\"issues\":[{") != std::string::npos);
  CHECK(checked.json.find("\"fixes\"") == std::string::npos);
  CHECK(made.files() == before);
}

TEST_CASE("tools that a server leaves out are not found over HTTP", "[serving]") {
  MadeWorkspace made;
  write_tasks(made);
  ServingOptions options;
  options.excluded_tools = {"db_import"};
  CHECK(
      ask(made, "db_import", R"({"database_id": "tasks", "text": "title\nX\n"})", options).status ==
      404);
  CHECK(ask(made, "db_list", "{}", options).status == 200);
}

TEST_CASE("a stream of changes names rows that came, changed and went, whoever changed them",
          "[serving]") {
  MadeWorkspace made;
  write_tasks(made);
  ChangeFeed feed(made.open());
  HeardEvents heard;
  std::thread listening([&] { feed.follow(heard); });
  CHECK(heard.hears("event: ready"));
  made.write("tasks/c.md", "---\ntitle: Three\n---\n");
  feed.wake();
  CHECK(heard.hears(R"("rows":[{"id":"c","etag":")"));
  std::filesystem::remove(made.root() / "tasks/b.md");
  feed.wake();
  CHECK(heard.hears(R"({"id":"b"})"));
  made.write("tasks/_schema.md", std::string(task_schema) + "More.\n");
  feed.wake();
  CHECK(heard.hears(R"("schema":true)"));
  made.write("more/_schema.md", task_schema);
  feed.wake();
  CHECK(heard.hears("event: databases"));
  heard.leave();
  listening.join();
}

TEST_CASE("stopping a feed ends every stream of it", "[serving]") {
  MadeWorkspace made;
  write_tasks(made);
  ChangeFeed feed(made.open());
  HeardEvents first;
  HeardEvents second;
  std::thread one([&] { feed.follow(first); });
  std::thread other([&] { feed.follow(second); });
  CHECK(first.hears("event: ready"));
  CHECK(second.hears("event: ready"));
  feed.stop();
  one.join();
  other.join();
  HeardEvents late;
  feed.follow(late);
  CHECK_FALSE(late.closed());
}

}  // namespace
}  // namespace notesdb
