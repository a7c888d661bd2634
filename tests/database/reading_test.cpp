// Rows read and queried, and kept in step with what other programs do.
#include <array>
#include <random>
#include <set>
#include <thread>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"

namespace notesdb {
namespace {

std::vector<std::string> ids_of(const QueryAnswer& answer) {
  std::vector<std::string> ids;
  for (const Row& row : answer.rows)
    ids.push_back(row.id);
  return ids;
}

void put_some_tasks(const MadeWorkspace& made) {
  made.write("tasks/_schema.md", task_schema);
  made.write("tasks/row-2.md", "---\ntitle: Two\nstatus: open\nestimate: 3\n---\nText\n");
  made.write("tasks/row-10.md", "---\ntitle: \"Ten\"\nstatus: done\nestimate: 5\nextra: x\n---\n");
  made.write("tasks/row-9.yaml", "title: Nine\nstatus: 'open'\ntags: [a, 'c, d']\n");
  made.write("tasks/plain.md", "no front matter\n");
  made.write("tasks/broken.md", "---\ntitle: a: b\nstatus: open\n---\n");
  made.write("tasks/unclosed.md", "---\ntitle: x\n");
  made.write("tasks/README.md", "not a row");
}

TEST_CASE("a query counts all rows in natural order and says how many are unreadable",
          "[database]") {
  MadeWorkspace made;
  put_some_tasks(made);
  const auto answer = made.database("tasks").query({});
  REQUIRE(answer);
  CHECK(ids_of(*answer) == std::vector<std::string>{"broken", "plain", "row-2", "row-9", "row-10"});
  CHECK(answer->total == 5);
  CHECK(answer->unreadable == 1);
  REQUIRE(answer->issues.size() == 1);
  CHECK(answer->issues[0].path == "tasks/unclosed.md");
  CHECK_FALSE(made.has_trace());
}

TEST_CASE("filters find a value however it is quoted", "[database]") {
  MadeWorkspace made;
  put_some_tasks(made);
  const auto open = made.database("tasks").query(
      {.filters = triple("status", "eq", "open"), .sort = Value("title")});
  REQUIRE(open);
  CHECK(open->total == 3);
  const auto tagged = made.database("tasks").query({.filters = triple("tags", "contains", "c, d")});
  REQUIRE(tagged);
  CHECK(ids_of(*tagged) == std::vector<std::string>{"row-9"});
  CHECK(*find_member(tagged->rows[0].fields, "tags") == Value(List{"a", "c, d"}));
}

TEST_CASE("a broken row keeps the fields that can be told apart", "[database]") {
  MadeWorkspace made;
  put_some_tasks(made);
  const auto row = made.database("tasks").get("broken");
  REQUIRE(row);
  CHECK(*find_member(row->fields, "status") == Value("open"));
  CHECK(find_member(row->fields, "title") == nullptr);
  REQUIRE_FALSE(row->issues.empty());
  CHECK(row->issues[0].path == "tasks/broken.md");
  CHECK(row->issues[0].line == 2);
}

TEST_CASE("everything wrong with a request is said at once", "[database]") {
  MadeWorkspace made;
  put_some_tasks(made);
  const QueryRequest request{.filters = triple("staus", "eq", "open"),
                             .sort = Map{{"field", "titel"}},
                             .select = {"tilte"}};
  const auto errors = made.database("tasks").check(request);
  CHECK(errors.size() == 3);
  const auto answer = made.database("tasks").query(request);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message.find("status") != std::string::npos);
  CHECK(answer.error().message.find("tilte") != std::string::npos);
}

TEST_CASE("an unknown row names the nearest ids and what is not a row id is refused",
          "[database]") {
  MadeWorkspace made;
  put_some_tasks(made);
  const auto row = made.database("tasks").get("row-3");
  REQUIRE_FALSE(row);
  CHECK(row.error().code == ErrorCode::unknown_row);
  CHECK(row.error().message.find("row-2") != std::string::npos);
  for (const char* id : {"../secret", "_schema", "README", "/etc/passwd"}) {
    CHECK(made.database("tasks").get(id).error().code == ErrorCode::path_not_allowed);
  }
}

TEST_CASE("the schema's answer counts keys that it does not declare", "[database]") {
  MadeWorkspace made;
  put_some_tasks(made);
  const auto schema = made.database("tasks").schema();
  REQUIRE(schema);
  CHECK(schema->undeclared == std::vector<std::pair<std::string, std::int64_t>>{{"extra", 1}});
  CHECK(schema->notes == "Notes for people.\n");
}

TEST_CASE("the summary counts as many issues as there are", "[database]") {
  MadeWorkspace made;
  put_some_tasks(made);
  made.write("tasks/odd.md",
             "---\nstatus: never\nestimate: 700\ncode: abc\nparent: nobody\ndue: soon\n---\n");
  made.write("tasks/same-1.md", "---\ntitle: x\ncode: ABC\n---\n");
  made.write("tasks/same-2.md", "---\ntitle: x\ncode: 'ABC'\n---\n");
  std::filesystem::create_symlink("row-2.md", made.root() / "tasks/link.md");
  const auto issues = made.database("tasks").issues();
  REQUIRE(issues);
  std::multiset<std::string> rules;
  for (const Issue& issue : *issues)
    rules.insert(issue.rule);
  for (const char* rule : {"option",
                           "range",
                           "pattern",
                           "relation",
                           "type",
                           "unique",
                           "required",
                           "link",
                           "yaml",
                           "unreadable"}) {
    INFO(rule);
    CHECK(rules.count(rule) >= 1);
  }
  const auto summary = made.database("tasks").summary();
  REQUIRE(summary);
  CHECK(summary->issue_count == static_cast<std::int64_t>(issues->size()));
}

TEST_CASE("a folder that is a database of its own is not part of its parent", "[database]") {
  MadeWorkspace made;
  made.write("all/_schema.yaml",
             "name: All\nrows: {include: ['**/*.md']}\ncolumns: [{id: t, type: text}]\n");
  made.write("all/a.md", "---\nt: 1\n---\n");
  made.write("all/sub/b.md", "---\nt: 2\n---\n");
  made.write("all/other/_schema.yaml", "name: Other\ncolumns: [{id: t, type: text}]\n");
  made.write("all/other/c.md", "---\nt: 3\n---\n");
  const auto answer = made.database("all").query({});
  REQUIRE(answer);
  CHECK(ids_of(*answer) == std::vector<std::string>{"a", "sub/b"});
  CHECK(made.database("all").get("other/c").error().code == ErrorCode::path_not_allowed);
  CHECK(made.database("all/other").query({})->total == 1);
}

// What a random program does to the rows of a folder.
void disturb(const MadeWorkspace& made, std::mt19937& random) {
  const std::string path =
      "tasks/row-" + std::to_string(random() % 12) + (random() % 5 == 0 ? ".yaml" : ".md");
  const std::string number = std::to_string(random() % 4);
  const bool yaml = path.ends_with(".yaml");
  const std::string fence = yaml ? "" : "---\n";
  const auto full = made.root() / path;
  switch (random() % 7) {
    case 0: std::filesystem::remove(full); break;
    case 1:
      made.write(path, fence + "title: t" + number + "\nestimate: " + number + "\n" + fence);
      break;
    case 2: made.write(path, fence + "title: a: b\nestimate: " + number + "\n" + fence); break;
    case 3: made.write(path, "---\nnever closed\n"); break;
    case 4: {
      made.write("tasks/.new", fence + "title: n\nestimate: " + number + "\n" + fence);
      std::filesystem::rename(made.root() / "tasks/.new", full);
      break;
    }
    case 5: {
      if (!std::filesystem::exists(full)) break;
      const auto stamp = std::filesystem::last_write_time(full);
      made.write(path, fence + "title: b\nestimate: " + number + "\n" + fence);
      std::filesystem::last_write_time(full, stamp);
      break;
    }
    default: made.write("tasks/sub" + number + "/x.md", "x");
  }
}

std::string shown(Database& database) {
  std::string text;
  const auto answer =
      database.query({.sort = Value("estimate"), .limit = 1000, .include_body = true});
  if (!answer) return answer.error().message;
  for (const Row& row : answer->rows) {
    text += row.id + " " + to_text(row.etag) + " " + to_display(row.fields) + row.body + "\n";
  }
  for (const Issue& issue : answer->issues)
    text += to_text(issue) + "\n";
  return text + std::to_string(answer->total);
}

TEST_CASE("a warm cache answers as a fresh open does, whatever other programs do", "[database]") {
  MadeWorkspace made;
  made.write("tasks/_schema.md", task_schema);
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same run every time
  for (int step = 0; step < 600; ++step) {
    const auto edits = random() % 3;
    for (unsigned i = 0; i < edits; ++i)
      disturb(made, random);
    if (step % 97 == 96) {
      std::string schema(task_schema);
      if (step % 2 == 0) schema.insert(schema.find("  - {id: due"), "  - {id: more, type: text}\n");
      made.write("tasks/_schema.md", schema);
    }
    const auto anew = made.open_anew();
    REQUIRE(shown(made.database("tasks")) == shown(**anew->get("tasks")));
  }
}

TEST_CASE("rows settled for long are not read again and an edit is still seen", "[database]") {
  MadeWorkspace made;
  put_some_tasks(made);
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  for (const auto& [path, bytes] : made.files()) {
    std::filesystem::last_write_time(made.root() / path, old);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(2200));
  CHECK(made.database("tasks").query({})->total == 5);
  CHECK(made.database("tasks").query({})->total == 5);
  made.write("tasks/row-2.md", "---\ntitle: Zwo\nstatus: open\nestimate: 3\n---\nText\n");
  std::filesystem::last_write_time(made.root() / "tasks/row-2.md", old);
  const auto answer = made.database("tasks").query({.filters = triple("title", "eq", "Zwo")});
  CHECK(answer->total == 1);
}

TEST_CASE("many threads may ask and write at once", "[database]") {
  MadeWorkspace made;
  put_some_tasks(made);
  Database& database = made.database("tasks");
  std::vector<std::thread> threads;
  std::array<std::vector<std::string>, 4> failures;
  for (std::size_t t = 0; t < failures.size(); ++t) {
    threads.emplace_back([&, t] {
      const auto note = [&](const auto& answer) {
        if (!answer) failures[t].push_back(answer.error().message);
      };
      for (int i = 0; i < 20; ++i) {
        if (t % 2 == 0) note(database.query({.filters = triple("status", "eq", "open")}));
        if (t % 2 == 1) note(made.writer("tasks").insert({.fields = {{"title", "t"}}}));
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (const auto& of_thread : failures)
    CHECK(of_thread == std::vector<std::string>{});
  CHECK(database.query({.limit = 0})->total == 45);
}

}  // namespace
}  // namespace notesdb
