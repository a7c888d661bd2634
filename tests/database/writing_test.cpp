// Rows written: ids, checks, etags, and the ways to lose data that must not happen.
#include <set>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "database/made_workspace.h"

namespace notesdb {
namespace {

void put_empty_tasks(const MadeWorkspace& made) {
  made.write("tasks/_schema.md", task_schema);
}

TEST_CASE("a new row has the next number and the schema's counter follows", "[database]") {
  MadeWorkspace made;
  put_empty_tasks(made);
  made.write("tasks/row-007.md", "---\ntitle: Seven\n---\n");
  const auto row = made.writer("tasks").insert({.fields = {{"title", "New"}, {"estimate", "7"}}});
  REQUIRE(row);
  CHECK(row->row.id == "row-008");
  CHECK(made.read("tasks/row-008.md") == "---\ntitle: New\nestimate: 7\n---\n");
  std::string expected(task_schema);
  expected.replace(expected.find("next_row_id: 1"), 14, "next_row_id: 9");
  CHECK(made.read("tasks/_schema.md") == expected);
  CHECK(made.read("tasks/row-007.md") == "---\ntitle: Seven\n---\n");
}

TEST_CASE("a number that another row has but for its case is passed over", "[database]") {
  MadeWorkspace made;
  put_empty_tasks(made);
  made.write("tasks/row-007.md", "---\ntitle: Seven\n---\n");
  made.write("tasks/ROW-008.md", "---\ntitle: Eight\n---\n");
  const auto row = made.writer("tasks").insert({.fields = {{"title", "New"}}});
  REQUIRE(row);
  CHECK(row->row.id == "row-009");
}

TEST_CASE("a schema without a counter never gets one", "[database]") {
  MadeWorkspace made;
  const std::string schema = "name: N\ncolumns:\n- {id: t, type: text}\n";
  made.write("n/_schema.yaml", schema);
  REQUIRE(made.writer("n").insert({.fields = {{"t", "x"}}}));
  CHECK(made.read("n/_schema.yaml") == schema);
}

TEST_CASE("every violation is said at once and nothing is left on the disk", "[database]") {
  MadeWorkspace made;
  put_empty_tasks(made);
  const auto before = made.files();
  const auto refused = made.writer("tasks").insert({.fields = {{"status", "opne"},
                                                               {"estimate", 101},
                                                               {"code", "abc"},
                                                               {"due", "soon"},
                                                               {"parent", "row-999"},
                                                               {"colour", "red"}}});
  REQUIRE_FALSE(refused);
  for (const char* word :
       {"title", "opne", "open", "estimate", "code", "due", "row-999", "colour"}) {
    INFO(word);
    CHECK(refused.error().message.find(word) != std::string::npos);
  }
  CHECK(made.files() == before);
  CHECK_FALSE(made.has_trace());
}

TEST_CASE("refusals leave the disk as it was", "[database]") {
  MadeWorkspace made;
  put_empty_tasks(made);
  made.write("tasks/row-1.md", "---\ntitle: One\ncode: AB\n---\nbody\n");
  made.write("tasks/row-2.md", "---\ntitle: Two\n---\n");
  const auto before = made.files();
  const RowWriter tasks = made.writer("tasks");
  CHECK_FALSE(tasks.insert({.fields = {{"title", "x"}}, .row_id = "row-1"}));
  CHECK_FALSE(tasks.insert({.fields = {{"title", "x"}}, .row_id = "ROW-1"}));
  CHECK_FALSE(tasks.insert({.fields = {{"title", "x"}}, .row_id = "../x"}));
  CHECK_FALSE(tasks.insert({.fields = {{"title", "x"}}, .row_id = "_schema"}));
  CHECK_FALSE(tasks.insert({.fields = {{"title", "x"}, {"code", "AB"}}}));
  CHECK_FALSE(tasks.insert({.fields = {{"title", "x"}}, .template_key = "none"}));
  CHECK_FALSE(tasks.update({.row_id = "row-2", .fields = {{"code", "AB"}}}));
  CHECK_FALSE(tasks.update({.row_id = "row-2", .fields = {{"title", nullptr}}}));
  CHECK_FALSE(tasks.update({.row_id = "row-2", .etag = Etag{1}, .fields = {{"title", "y"}}}));
  CHECK_FALSE(tasks.update({.row_id = "row-3", .fields = {{"title", "y"}}}));
  CHECK_FALSE(tasks.update({.row_id = "row-2", .new_row_id = "row-1"}));
  CHECK_FALSE(tasks.remove("row-2", Etag{1}));
  CHECK_FALSE(tasks.remove("row-3", std::nullopt));
  CHECK(made.files() == before);
  CHECK_FALSE(made.has_trace());
}

TEST_CASE("a read-only workspace refuses every write", "[database]") {
  MadeWorkspace made;
  put_empty_tasks(made);
  made.settings().read_only.value = true;
  made.write("tasks/row-1.md", "---\ntitle: One\n---\n");
  const RowWriter tasks = made.writer("tasks");
  CHECK(tasks.insert({}).error().code == ErrorCode::read_only);
  CHECK(tasks.update({.row_id = "row-1"}).error().code == ErrorCode::read_only);
  CHECK(tasks.remove("row-1", std::nullopt).error().code == ErrorCode::read_only);
  CHECK(made.open().create_database({}).error().code == ErrorCode::read_only);
}

TEST_CASE("a conflict brings the etag and the row as they are", "[database]") {
  MadeWorkspace made;
  put_empty_tasks(made);
  made.write("tasks/row-1.md", "---\ntitle: One\n---\nbody\n");
  const RowWriter tasks = made.writer("tasks");
  const Etag old = tasks.get("row-1")->etag;
  made.write("tasks/row-1.md", "---\ntitle: Changed\n---\nbody\n");
  const auto refused =
      tasks.update({.row_id = "row-1", .etag = old, .fields = {{"title", "Mine"}}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.starts_with("CONFLICT"));
  const Value* etag = refused.error().data.find("etag");
  REQUIRE(etag != nullptr);
  CHECK(*refused.error().data.find("row")->find("fields")->find("title") == Value("Changed"));
  CHECK(tasks.update(
      {.row_id = "row-1", .etag = parse_etag(etag->text()), .fields = {{"title", "Mine"}}}));
}

TEST_CASE("one field changes and every other byte stays", "[database]") {
  MadeWorkspace made;
  put_empty_tasks(made);
  const std::string bytes =
      "\xEF\xBB\xBF---\r\n# a comment\r\ntitle:   'It''s'   # why\r\nnested:\r\n  a: [1, 2]\r\n"
      "status: open\r\n---\r\n\r\nBody --- text\r\n---\r\nno end";
  made.write("tasks/row-1.md", bytes);
  const auto answer =
      made.writer("tasks").update({.row_id = "row-1", .fields = {{"status", "done"}}});
  REQUIRE(answer);
  std::string expected = bytes;
  expected.replace(expected.find("open"), 4, "done");
  CHECK(made.read("tasks/row-1.md") == expected);
  const auto same =
      made.writer("tasks").update({.row_id = "row-1", .fields = {{"status", "done"}}});
  REQUIRE(same);
  CHECK_FALSE(same->changed);
  CHECK(same->change.empty());
}

TEST_CASE("a dry run shows the diff and writes nothing", "[database]") {
  MadeWorkspace made;
  put_empty_tasks(made);
  made.write("tasks/row-1.md", "---\ntitle: One\nstatus: open\n---\nbody\n");
  const auto before = made.files();
  const RowWriter tasks = made.writer("tasks");
  const auto update =
      tasks.update({.row_id = "row-1", .fields = {{"status", "done"}}}, WriteMode::dry_run);
  REQUIRE(update);
  CHECK(update->diff ==
        "--- a/tasks/row-1.md\n+++ b/tasks/row-1.md\n@@ -1,5 +1,5 @@\n ---\n title: One\n"
        "-status: open\n+status: done\n ---\n body\n");
  REQUIRE(tasks.insert({.fields = {{"title", "x"}}}, WriteMode::dry_run));
  REQUIRE(tasks.remove("row-1", std::nullopt, WriteMode::dry_run));
  CHECK(made.files() == before);
  CHECK_FALSE(made.has_trace());
}

TEST_CASE("a broken field is fixed by setting it and the others stay editable", "[database]") {
  MadeWorkspace made;
  put_empty_tasks(made);
  made.write("tasks/row-1.md", "---\ntitle: a: b\nstatus: open\n---\n");
  const RowWriter tasks = made.writer("tasks");
  REQUIRE(tasks.update({.row_id = "row-1", .fields = {{"status", "done"}}}));
  CHECK(made.read("tasks/row-1.md") == "---\ntitle: a: b\nstatus: done\n---\n");
  REQUIRE(tasks.update({.row_id = "row-1", .fields = {{"title", "a: b"}}}));
  const auto row = tasks.get("row-1");
  CHECK(row->issues.empty());
  CHECK(*find_member(row->fields, "title") == Value("a: b"));
}

TEST_CASE("templates fill in fields and body, and what is given wins", "[database]") {
  MadeWorkspace made;
  made.write("n/_schema.md",
             "---\nname: N\ncolumns:\n- {id: title, type: text}\n- {id: day, type: date, default: "
             "today}\n- {id: kind, type: text, default: note}\ntemplates:\n  meeting:\n    title: "
             "\"Meeting {{date}}\"\n    fields: {kind: meeting}\n    body: \"# "
             "{{title}}\\n\\n{{agenda}} {{unknown}}\\n\"\n---\n");
  const auto row = made.writer("n").insert({.fields = {{"title", "Budget"}},
                                            .template_key = "meeting",
                                            .variables = {{"agenda", "1. money"}}});
  REQUIRE(row);
  CHECK(*find_member(row->row.fields, "title") == Value("Budget"));
  CHECK(*find_member(row->row.fields, "kind") == Value("meeting"));
  CHECK(find_member(row->row.fields, "day")->text().size() == 10);
  CHECK(row->row.body == "# Budget\n\n1. money \n");
}

TEST_CASE("ids are made as the schema says", "[database]") {
  MadeWorkspace made;
  const auto schema = [](const std::string& rule) {
    return "name: N\nrow_id: {" + rule + "}\ncolumns:\n- {id: title, type: text}\n";
  };
  made.write("slugs/_schema.yaml", schema("style: slug, from: title"));
  made.write("ulids/_schema.yaml", schema("style: ulid"));
  made.write("shorts/_schema.yaml", schema("style: short"));
  made.write("counters/_schema.yaml", schema("style: counter, prefix: t-, digits: 5"));
  const auto make = [&](const char* database) {
    const auto row = made.writer(database).insert({.fields = {{"title", "Größe & Ziel!"}}});
    REQUIRE(row);
    return row->row.id;
  };
  CHECK(make("slugs") == "größe-ziel");
  CHECK(make("slugs") == "größe-ziel-2");
  CHECK(make("ulids").size() == 26);
  CHECK(make("shorts").size() == 8);
  CHECK(make("counters") == "t-00001");
  CHECK(make("counters") == "t-00002");
}

TEST_CASE("a removed row comes back by undo, byte for byte", "[database]") {
  MadeWorkspace made;
  put_empty_tasks(made);
  const std::string bytes = "---\ntitle: One # x\nother: [1]\n---\nbody";
  made.write("tasks/row-1.md", bytes);
  const auto removed = made.writer("tasks").remove("row-1", std::nullopt);
  REQUIRE(removed);
  CHECK(removed->row.body == "body");
  CHECK_FALSE(std::filesystem::exists(made.root() / "tasks/row-1.md"));
  const auto undone = made.open().undo(removed->change);
  REQUIRE(undone);
  CHECK(made.read("tasks/row-1.md") == bytes);
}

TEST_CASE("a row changes its id and its fields in one change", "[database]") {
  MadeWorkspace made;
  put_empty_tasks(made);
  made.write("tasks/row-1.md", "---\ntitle: One\n---\n");
  const auto moved = made.writer("tasks").update(
      {.row_id = "row-1", .fields = {{"title", "Uno"}}, .new_row_id = "uno"});
  REQUIRE(moved);
  CHECK(moved->row.id == "uno");
  CHECK(made.read("tasks/uno.md") == "---\ntitle: Uno\n---\n");
  CHECK_FALSE(std::filesystem::exists(made.root() / "tasks/row-1.md"));
}

TEST_CASE("a database is created whole, and a wrong one not at all", "[database]") {
  MadeWorkspace made;
  const Map schema{{"name", "My Tasks"},
                   {"columns", List{Map{{"id", "title"}, {"type", "text"}, {"required", true}}}}};
  const auto created = made.open().create_database({schema});
  REQUIRE(created);
  CHECK(created->database_id == "my-tasks");
  CHECK(made.database("my-tasks").schema()->schema.columns.size() == 1);
  CHECK(made.open().create_database({schema}).error().code == ErrorCode::already_exists);
  const Map wrong{
      {"name", "Bad"},
      {"colums", 1},
      {"columns", List{Map{{"id", "s"}, {"type", "select"}}, Map{{"id", "n"}, {"type", "int"}}}}};
  const auto refused = made.open().create_database({wrong});
  REQUIRE_FALSE(refused);
  for (const char* word : {"colums", "options", "int"}) {
    CHECK(refused.error().message.find(word) != std::string::npos);
  }
  CHECK_FALSE(std::filesystem::exists(made.root() / "bad"));
}

// What one of several processes does; its exit code says whether all went well.
int work(const MadeWorkspace& made, int inserts, int increments) {
  const auto workspace = made.open_anew();
  const RowWriter tasks{*workspace, "tasks"};
  const auto is_no_failure = [](const Error& error) {
    return error.code == ErrorCode::conflict || error.code == ErrorCode::busy;
  };
  for (int done = 0; done < inserts;) {
    const auto row = tasks.insert({.fields = {{"title", "from " + std::to_string(getpid())}}});
    if (row) ++done;
    if (!row && !is_no_failure(row.error())) return 3;
  }
  for (int done = 0; done < increments;) {
    const auto row = tasks.get("counter");
    if (!row) return 4;
    const std::int64_t now = find_member(row->fields, "n")->integer();
    const auto written =
        tasks.update({.row_id = "counter", .etag = row->etag, .fields = {{"n", now + 1}}});
    if (written) ++done;
    if (!written && !is_no_failure(written.error())) return 5;
  }
  return 0;
}

TEST_CASE("eight processes insert and count at once and nothing is lost", "[database]") {
  MadeWorkspace made;
  made.write("tasks/_schema.md",
             "---\nname: T\ncolumns:\n- {id: title, type: text}\n- {id: n, type: "
             "number}\nnext_row_id: 1 # kept\n---\n");
  made.write("tasks/counter.md", "---\nn: 0\n---\n");
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(work(made, 25, 25));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WEXITSTATUS(status) == 0);
  }
  const auto files = made.files();
  CHECK(files.size() == 202);
  CHECK(files.at("tasks/counter.md") == "---\nn: 200\n---\n");
  CHECK(files.contains("tasks/row-200.md"));
  CHECK(files.at("tasks/_schema.md").find("next_row_id: 201 # kept") != std::string::npos);
}

}  // namespace
}  // namespace notesdb
