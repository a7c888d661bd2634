// export and import as a shell runs them.
#include <algorithm>
#include <filesystem>

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
namespace fs = std::filesystem;

// A workspace with one database, and a folder beside it for files that go in and out.
class ExchangeWorkspace {
 public:
  ExchangeWorkspace() {
    workspace_.write("tasks/_schema.md",
                     "---\nname: Tasks\ncolumns:\n  - { id: title, type: text }\n"
                     "  - { id: size, type: number }\n  - { id: tags, type: list }\n"
                     "views:\n  - { id: small, columns: [size, title],\n"
                     "      filters: [{ field: size, operator: lt, value: 5 }] }\n---\n");
    workspace_.write("tasks/row-001.md", "---\ntitle: \"=1+1\"\nsize: 1\ntags: [a, b]\n---\n");
    workspace_.write("tasks/row-002.md", "---\ntitle: \"Two, \\e[31mred\"\nsize: 7\n---\n\nText\n");
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  fs::path root() const { return workspace_.root(); }
  void write(const std::string& name, const std::string& bytes) const {
    driving::write_bytes(path(name), bytes);
  }
  Finished run(Words words, const std::string& input = "") const {
    words.insert(words.begin(), driving::program());
    const Words flags = workspace_.flags();
    words.insert(words.end(), flags.begin(), flags.end());
    return driving::run(words, workspace_.environment(), input);
  }
  std::string out(const Words& words, const std::string& input = "") const {
    const Finished done = run(words, input);
    INFO(done.err);
    CHECK(done.exit_code == 0);
    return done.out;
  }

 private:
  driving::Workspace workspace_;
  driving::ScratchFolder folder_;
};

TEST_CASE("export writes every format, to a file or to standard output", "[commands]") {
  const ExchangeWorkspace workspace;
  CHECK(workspace.out({"export", "tasks", "--select", "title,size", "--where", "size = 1"}) ==
        "title,size\r\n=1+1,1\r\n");
  CHECK(workspace.out({"export", "tasks", "--view", "small", "-o", "tsv"}) ==
        "_id\tsize\ttitle\nrow-001\t1\t=1+1\n");
  CHECK(workspace.out({"export", "tasks", "-o", "jsonl", "--limit", "1"}) ==
        "{\"_id\":\"row-001\",\"title\":\"=1+1\",\"size\":1,\"tags\":[\"a\",\"b\"]}\n");
  CHECK(Json::parse(workspace.out({"export", "tasks", "--json"}))[1].at("_body") == "Text\n");
  CHECK(workspace.out({"export", "tasks", "-o", "md", "--select", "tags"}) ==
        "| tags |\n| --- |\n| a, b |\n| |\n");
  CHECK(workspace.out({"export", "tasks", "--format", "yaml", "--select", "size"}) ==
        "- size: 1\n- size: 7\n");
  for (const char* name : {"t.csv", "t.tsv", "t.json", "t.jsonl", "t.md", "t.yml", "t.db"}) {
    CHECK(workspace.out({"export", "tasks", "--to", workspace.path(name)}).empty());
    CHECK(fs::file_size(workspace.path(name)) > 20);
  }
  CHECK(driving::read_bytes(workspace.path("t.db")).starts_with("SQLite format 3"));
  CHECK_FALSE(fs::exists(workspace.root() / ".notesdb"));
}

TEST_CASE("formulas are defused on request, and numbers stay numbers", "[commands]") {
  const ExchangeWorkspace workspace;
  CHECK(workspace.out({"export", "tasks", "--select", "title,size", "--limit", "1", "--defuse"}) ==
        "title,size\r\n'=1+1,1\r\n");
  CHECK(workspace.run({"export", "tasks", "--defuse", "-o", "json"}).exit_code == 2);
}

TEST_CASE("export replaces nothing unasked and makes no row", "[commands]") {
  const ExchangeWorkspace workspace;
  const std::string file = workspace.path("t.csv");
  workspace.out({"export", "tasks", "--to", file});
  const std::string before = driving::read_bytes(file);
  const Finished refused = workspace.run({"export", "tasks", "--to", file, "--select", "size"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.err.find("--force") != std::string::npos);
  CHECK(driving::read_bytes(file) == before);
  workspace.out({"export", "tasks", "--to", file, "--select", "size", "--force"});
  CHECK(driving::read_bytes(file) == "size\r\n1\r\n7\r\n");
  const std::string row = (workspace.root() / "tasks" / "row-003.md").string();
  CHECK(workspace.run({"export", "tasks", "--to", row}).exit_code == 1);
  CHECK_FALSE(fs::exists(row));
}

TEST_CASE("wrong words of export and import are refused before anything is read", "[commands]") {
  const ExchangeWorkspace workspace;
  for (const Words& wrong : {Words{"export", "tasks", "--format", "xlsx"},
                             Words{"export", "tasks", "-o", "table"},
                             Words{"export", "tasks", "-o", "sqlite"},
                             Words{"export", "tasks", "--format", "sqlite"},
                             Words{"export", "tasks", "--force"},
                             Words{"export", "tasks", "--separator", "ab"},
                             Words{"import", "tasks", "file.pdf"},
                             Words{"import", "tasks", "f.json", "--separator", ";"},
                             Words{"import", "tasks", "f.csv", "--column", "a:text"},
                             Words{"import", "tasks", "f.csv", "--clear-empty"},
                             Words{"import", "tasks", "f.csv", "-o", "csv"}}) {
    const Finished done = workspace.run(wrong);
    INFO(done.err);
    CHECK(done.exit_code == 2);
    CHECK(done.out.empty());
  }
  CHECK(workspace.run({"export", "nothing"}).exit_code == 1);
  CHECK(workspace.run({"export", "tasks", "--where", "titel = x"}).exit_code == 1);
  CHECK(workspace.run({"import", "tasks", workspace.path("nowhere.csv")}).exit_code == 1);
}

TEST_CASE("what was exported is imported into a database of its own", "[commands]") {
  const ExchangeWorkspace workspace;
  for (const std::string name : {"t.csv", "t.tsv", "t.json", "t.jsonl", "t.db"}) {
    const std::string file = workspace.path(name);
    workspace.out({"export", "tasks", "--to", file});
    const std::string copy = "from-" + name.substr(2);
    const Words import{"import", copy, file, "--create", "--column", "tags:list"};
    const Finished done = workspace.run(import);
    INFO(name << ": " << done.err);
    REQUIRE(done.exit_code == 0);
    CHECK(workspace.out({"export", copy, "-o", "json"}) ==
          workspace.out({"export", "tasks", "-o", "json"}));
  }
}

TEST_CASE("import says all that is wrong, by line, and writes nothing", "[commands]") {
  const ExchangeWorkspace workspace;
  const driving::Tree before = driving::read_tree(workspace.root());
  const std::string csv = "title,size\none,many\ntwo\nthree,3\n";
  const Finished done = workspace.run({"import", "tasks", "-", "--format", "csv"}, csv);
  CHECK(done.exit_code == 1);
  CHECK(done.out.empty());
  CHECK(done.err ==
        "standard input:2: error: size is a number column and cannot hold \"many\" [type]\n"
        "standard input:3: error: this record has 1 cell, where the header has 2 [csv]\n"
        "notesdb: 2 problems in the file; nothing was imported\n");
  const Finished json = workspace.run({"import", "tasks", "-", "--format", "csv", "--json"}, csv);
  CHECK(Json::parse(json.err).at("error").at("data").at("issues").size() == 2);
  CHECK(driving::read_tree(workspace.root()) == before);
  CHECK_FALSE(fs::exists(workspace.root() / ".notesdb"));
  CHECK(workspace.run({"import", "tasks", "-", "--format", "csv", "--read-only"}, "title\nx\n")
            .exit_code == 1);
}

TEST_CASE("import upserts, tells what it did, and is taken back", "[commands]") {
  const ExchangeWorkspace workspace;
  const driving::Tree before = driving::read_tree(workspace.root());
  workspace.write("in.csv", "_id;size\nrow-001;2\nrow-009;9\n");
  const Words import{
      "import", "tasks", workspace.path("in.csv"), "--separator", ";", "--upsert", "_id"};
  Words planned = import;
  planned.emplace_back("--dry-run");
  CHECK(workspace.out(planned).find("-size: 1\n+size: 2\n") != std::string::npos);
  CHECK(driving::read_tree(workspace.root()) == before);
  Words told = import;
  told.emplace_back("--json");
  const Json answer = Json::parse(workspace.out(told));
  CHECK(answer.at("inserted") == 1);
  CHECK(answer.at("updated") == 1);
  CHECK(workspace.run(import).err.find("2 unchanged") != std::string::npos);
  workspace.out({"undo", answer.at("change").get<std::string>()});
  CHECK(driving::read_tree(workspace.root()) == before);
}

}  // namespace
}  // namespace notesdb
