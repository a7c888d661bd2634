// Every command and tool that changes rows, driven through one table of inputs: each judges a value
// alike, and each answers with the same receipt. A new writer is one more line.
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "driving/folder.h"
#include "driving/process.h"
#include "driving/workspace.h"

namespace notesdb {
namespace {

using driving::Finished;
using driving::Words;
using Json = nlohmann::ordered_json;

// Row a holds nothing but its title; row b is what others must not repeat, and what c names.
class WriterWorkspace {
 public:
  WriterWorkspace() {
    workspace_.write("t/_schema.md",
                     "---\nname: T\ncolumns:\n"
                     "  - { id: title, type: text, required: true }\n"
                     "  - { id: size, type: number, min: 0, max: 9 }\n"
                     "  - { id: state, type: select, options: [open, done] }\n"
                     "  - { id: code, type: number, unique: true }\n"
                     "  - { id: word, type: text, pattern: \"^[a-z]+$\" }\n"
                     "  - { id: day, type: date }\n"
                     "  - { id: other, type: relation, target: t }\n"
                     "templates:\n  note: { body: \"about {{what}}\" }\n---\n");
    workspace_.write("t/a.md", "---\ntitle: A\n---\n");
    workspace_.write("t/b.md", "---\ntitle: B\ncode: 5\n---\n");
    workspace_.write("t/c.md", "---\ntitle: C\nother: b\n---\n");
  }

  std::filesystem::path root() const { return workspace_.root(); }
  void write(const std::string& path, const std::string& bytes) const {
    workspace_.write(path, bytes);
  }
  Finished run(Words words, const std::string& input = "") const {
    words.insert(words.begin(), driving::program());
    const Words flags = workspace_.flags();
    words.insert(words.end(), flags.begin(), flags.end());
    return driving::run(words, workspace_.environment(), input);
  }
  void git(Words words) const {
    words.insert(words.begin(),
                 {"git", "-C", root().string(), "-c", "user.name=n", "-c", "user.email=e@x"});
    const Finished done = driving::run(words, workspace_.environment());
    INFO(done.err);
    REQUIRE(done.exit_code == 0);
  }

 private:
  driving::Workspace workspace_;
};

struct Call {
  Words words;
  std::string input{};
};

// One way to give a field of a row a value.
struct Writer {
  std::string name;
  std::function<Call(const WriterWorkspace&, const std::string& field, const std::string& value)>
      call;
};

Json fields_of(const std::string& field, const std::string& value) {
  Json fields{{"title", "New"}};
  fields[field] = value;
  return fields;
}

std::string batch_of(const Json& operation) {
  return Json::array({operation}).dump();
}

const std::vector<Writer>& writers() {
  static const std::vector<Writer> all{
      {"insert",
       [](const auto&, const auto& field, const auto& value) {
         return Call{{"insert", "t", "--fields", fields_of(field, value).dump()}};
       }},
      {"update",
       [](const auto&, const auto& field, const auto& value) {
         return Call{{"update", "t", "a", "--set", field + "=" + value}};
       }},
      {"update by filter",
       [](const auto&, const auto& field, const auto& value) {
         return Call{{"update", "t", "--where", "title = A", "--set", field + "=" + value}};
       }},
      {"batch insert",
       [](const auto&, const auto& field, const auto& value) {
         return Call{{"batch", "--operations", "-"},
                     batch_of({{"action", "insert"},
                               {"database_id", "t"},
                               {"fields", fields_of(field, value)}})};
       }},
      {"batch update",
       [](const auto&, const auto& field, const auto& value) {
         return Call{{"batch", "--operations", "-"},
                     batch_of({{"action", "update"},
                               {"database_id", "t"},
                               {"row_id", "a"},
                               {"fields", {{field, value}}}})};
       }},
      {"batch update by filter",
       [](const auto&, const auto& field, const auto& value) {
         const Json filter{{"field", "title"}, {"operator", "eq"}, {"value", "A"}};
         return Call{{"batch", "--operations", "-"},
                     batch_of({{"action", "update"},
                               {"database_id", "t"},
                               {"filters", Json::array({filter})},
                               {"fields", {{field, value}}}})};
       }},
      {"db_insert_row",
       [](const auto&, const auto& field, const auto& value) {
         return Call{{"call",
                      "db_insert_row",
                      Json{{"database_id", "t"}, {"fields", fields_of(field, value)}}.dump()}};
       }},
      {"import",
       [](const auto&, const auto& field, const auto& value) {
         return Call{{"import", "t", "-", "--format", "csv"},
                     "title," + field + "\nNew," + value + "\n"};
       }},
      {"import --upsert",
       [](const auto&, const auto& field, const auto& value) {
         return Call{{"import", "t", "-", "--format", "csv", "--upsert", "_id"},
                     "_id," + field + "\na," + value + "\n"};
       }},
      {"resolve",
       [](const auto& workspace, const auto& field, const auto& value) {
         workspace.write("t/a.md",
                         "---\ntitle: A\n<<<<<<< ours\n" + field + ": 1\n=======\n" + field +
                             ": 2\n>>>>>>> theirs\n---\n");
         return Call{{"resolve", "t", "a", "--field", field, "--value", value}};
       }},
      {"restore",
       [](const auto& workspace, const auto& field, const auto& value) {
         workspace.git({"init", "--quiet"});
         workspace.write("t/a.md", "---\ntitle: A\n" + field + ": " + value + "\n---\n");
         workspace.git({"add", "t"});
         workspace.git({"commit", "--quiet", "-m", "then"});
         workspace.write("t/a.md", "---\ntitle: A\n---\n");
         return Call{{"restore", "t", "a", "--at", "HEAD"}};
       }},
      {"alter, fill",
       [](const auto& workspace, const auto& field, const auto& value) {
         // Only one row lacks the field, which a unique column could not be filled in else.
         workspace.write("t/b.md", "---\ntitle: B\n" + field + ": 5\n---\n");
         workspace.write("t/c.md", "---\ntitle: C\n" + field + ": 6\n---\n");
         const Json change{{"action", "set_column"},
                           {"column", field},
                           {"description", "filled"},
                           {"fill", value}};
         return Call{{"alter", "t", "--changes", Json::array({change}).dump()}};
       }},
  };
  return all;
}

struct Input {
  std::string field;
  std::string value;
  std::string refusal;  // what the error says; empty: the value is taken
};

const std::vector<Input>& inputs() {
  static const std::vector<Input> all{
      {"size", "7", ""},
      {"size", "banana", "size is a number column and cannot hold"},
      {"size", "12", "more than the most allowed, 9"},
      {"state", "done", ""},
      {"state", "dnoe", "is not an option of state"},
      {"code", "4", ""},
      {"code", "5", "code is 5"},
      {"code", "5.0", "code is 5"},
      {"word", "ab", ""},
      {"word", "AB", "does not match the pattern"},
      {"day", "2026-01-31", ""},
      {"day", "someday", "day is a date column and cannot hold"},
      {"other", "b", ""},
      {"other", "nobody", "names the row 'nobody'"},
  };
  return all;
}

TEST_CASE("every writer judges a value alike", "[commands]") {
  for (const Writer& writer : writers()) {
    for (const Input& input : inputs()) {
      const WriterWorkspace workspace;
      const Call call = writer.call(workspace, input.field, input.value);
      const driving::Tree before = driving::read_tree(workspace.root());
      Words words = call.words;
      if (words.front() != "call") words.emplace_back("--json");
      const Finished done = workspace.run(words, call.input);
      INFO(writer.name << ": " << input.field << " = " << input.value << "\n"
                       << done.out << done.err);
      const driving::Tree after = driving::read_tree(workspace.root());
      if (!input.refusal.empty()) {
        CHECK(done.exit_code == 1);
        CHECK(done.err.find(input.refusal) != std::string::npos);
        CHECK(driving::difference(before, after).empty());
        continue;
      }
      REQUIRE(done.exit_code == 0);
      CHECK_FALSE(driving::difference(before, after).empty());
      const Json answer = Json::parse(done.out);
      CHECK_FALSE(answer.contains("warnings"));
      CHECK_FALSE(answer.contains("durable"));
      const Finished undone = workspace.run({"undo", answer.at("change").get<std::string>()});
      CHECK(undone.exit_code == 0);
      CHECK(driving::difference(before, driving::read_tree(workspace.root())).empty());
    }
  }
}

struct Warned {
  std::string name;
  Call call;
  std::string warning;
};

TEST_CASE("every writer warns alike, in the answer and on standard error", "[commands]") {
  const std::string deleted =
      "1 reference to 'b', which is deleted, will point to nothing: "
      "t/c.md (other)";
  const std::string unset =
      "the template 'note' has the variable 'what', which was not given; its place is empty";
  const Json filter{{"field", "title"}, {"operator", "eq"}, {"value", "B"}};
  const std::vector<Warned> calls{
      {"delete", {{"delete", "t", "b"}}, deleted},
      {"delete by filter", {{"delete", "t", "--where", "title = B"}}, deleted},
      {"batch delete",
       {{"batch", "--operations", "-"},
        batch_of({{"action", "delete"}, {"database_id", "t"}, {"row_id", "b"}})},
       deleted},
      {"batch delete by filter",
       {{"batch", "--operations", "-"},
        batch_of({{"action", "delete"}, {"database_id", "t"}, {"filters", Json::array({filter})}})},
       deleted},
      {"db_delete_row",
       {{"call", "db_delete_row", R"({"database_id":"t","row_id":"b"})"}},
       deleted},
      {"insert", {{"insert", "t", "--set", "title=N", "--template", "note"}}, unset},
      {"batch insert",
       {{"batch", "--operations", "-"},
        batch_of({{"action", "insert"},
                  {"database_id", "t"},
                  {"fields", {{"title", "N"}}},
                  {"template", "note"}})},
       unset},
  };
  for (const Warned& warned : calls) {
    const WriterWorkspace workspace;
    const driving::Tree before = driving::read_tree(workspace.root());
    Words words = warned.call.words;
    const bool is_call = words.front() == "call";
    if (!is_call) words.emplace_back("--json");
    const Finished done = workspace.run(words, warned.call.input);
    INFO(warned.name << "\n" << done.out << done.err);
    REQUIRE(done.exit_code == 0);
    const Json answer = Json::parse(done.out);
    REQUIRE(answer.contains("warnings"));
    CHECK(answer.at("warnings") == Json::array({warned.warning}));
    if (!is_call) CHECK(done.err.find(warned.warning) != std::string::npos);
    const Finished undone = workspace.run({"undo", answer.at("change").get<std::string>()});
    CHECK(undone.exit_code == 0);
    CHECK(driving::difference(before, driving::read_tree(workspace.root())).empty());
  }
}

TEST_CASE("every other writer answers with a change that undo takes back", "[commands]") {
  const std::vector<std::pair<std::string, Words>> calls{
      {"create", {"create", "New", "--column", "x:text"}},
      {"infer", {"infer", "loose", "--write"}},
      {"check --fix", {"check", "t", "--fix"}},
      {"rename", {"rename", "t", "b", "z"}},
      {"alter", {"alter", "t", "--changes", R"([{"action":"drop_column","column":"other"}])"}},
      {"import --create", {"import", "made", "-", "--format", "csv", "--create"}},
  };
  for (const auto& [name, words] : calls) {
    const WriterWorkspace workspace;
    workspace.write("loose/x.md", "---\nn: 1\n---\n");
    workspace.write("t/d.md", "---\ntitle: a: b\n---\n");  // what check --fix can fix
    const driving::Tree before = driving::read_tree(workspace.root());
    Words all = words;
    all.emplace_back("--json");
    const Finished done = workspace.run(all, "title\nOne\n");
    INFO(name << "\n" << done.out << done.err);
    Json answer = Json::parse(done.out);
    if (answer.contains("databases") && answer["databases"].is_array())
      answer = answer["databases"][0];
    REQUIRE(answer.contains("change"));
    CHECK_FALSE(driving::difference(before, driving::read_tree(workspace.root())).empty());
    const Finished undone = workspace.run({"undo", answer["change"].get<std::string>()});
    CHECK(undone.exit_code == 0);
    CHECK(driving::difference(before, driving::read_tree(workspace.root())).empty());
  }
}

TEST_CASE("filters that match many rows need their number", "[commands]") {
  const WriterWorkspace workspace;
  for (int i = 0; i < 30; ++i)
    workspace.write("t/m" + std::to_string(i) + ".md", "---\ntitle: Many\n---\n");
  const driving::Tree before = driving::read_tree(workspace.root());
  const Words update{"update", "t", "--where", "title = Many", "--set", "size=3"};
  const Finished refused = workspace.run(update);
  CHECK(refused.exit_code == 1);
  CHECK(refused.err.find("pass expect_count 30") != std::string::npos);
  const auto with = [&](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return workspace.run(words);
  };
  CHECK(with(update, {"--expect-count", "29"}).exit_code == 1);
  const Finished shown = with(update, {"--expect-count", "30", "--dry-run"});
  CHECK(shown.out.find("--- a/t/m0.md\n+++ b/t/m0.md\n") != std::string::npos);
  CHECK(driving::difference(before, driving::read_tree(workspace.root())).empty());
  const Finished done = with(update, {"--expect-count", "30", "--json"});
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  CHECK(Json::parse(done.out).at("applied") == 30);
  CHECK(driving::read_bytes(workspace.root() / "t/m7.md") == "---\ntitle: Many\nsize: 3\n---\n");
  CHECK(workspace.run({"undo"}).exit_code == 0);
  CHECK(driving::difference(before, driving::read_tree(workspace.root())).empty());
  const Finished both = workspace.run({"delete", "t", "a", "--where", "title = A"});
  CHECK(both.exit_code != 0);
  CHECK(workspace.run({"delete", "t"}).exit_code != 0);
  CHECK(with({"delete", "t", "--where", "title = Many"}, {"--expect-count", "30"}).exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(workspace.root() / "t/m7.md"));
}

}  // namespace
}  // namespace notesdb
