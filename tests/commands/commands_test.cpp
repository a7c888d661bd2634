// The command as a shell runs it: what goes to which stream, how it ends, what stays on the disk.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "driving/folder.h"
#include "driving/mcp_client.h"
#include "driving/process.h"

namespace notesdb {
namespace {

using driving::Finished;
using driving::Words;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// A workspace of one database with three rows.
class Workspace {
 public:
  Workspace() {
    fs::create_directories(folder_.path() / "tasks");
    write("tasks/_schema.md",
          "---\nname: Tasks\ncolumns:\n  - { id: title, type: text }\n"
          "  - { id: size, type: number }\n  - { id: tags, type: list }\n---\n");
    write("tasks/row-001.md", "---\ntitle: One\nsize: 1\ntags: [a, b]\n---\n\nBody\n");
    write("tasks/row-002.md", "---\ntitle: \"Two, \\e[31mred\"\nsize: 2\n---\n");
    write("tasks/row-010.md", "---\ntitle: Ten\nsize: 10\n---\n");
  }

  void write(const std::string& path, const std::string& text) const {
    std::ofstream(folder_.path() / path, std::ios::binary) << text;
  }
  std::string read(const std::string& path) const {
    std::ifstream in(folder_.path() / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool has(const std::string& path) const { return fs::exists(folder_.path() / path); }

  std::string root() const { return folder_.path().string(); }

  Finished run(Words words, const std::string& input = "") const {
    words.insert(words.begin(), driving::program());
    return driving::run(words, {{"NOTESDB_ROOT", root()}}, input);
  }
  std::string out(const Words& words, const std::string& input = "") const {
    Finished done = run(words, input);
    INFO(done.err);
    CHECK(done.exit_code == 0);
    return done.out;
  }

 private:
  driving::ScratchFolder folder_;
};

TEST_CASE("each output format shows the same rows", "[commands]") {
  Workspace workspace;
  Words query{"query", "tasks", "--where", "size < 3", "--select", "title,tags"};
  auto as = [&](const std::string& format) {
    Words words = query;
    words.insert(words.end(), {"-o", format});
    return workspace.out(words);
  };
  CHECK(as("table") ==
        "id       title             tags\n-------  ----------------  ----\n"
        "row-001  One               a, b\nrow-002  Two, \\x1b[31mred\n");
  CHECK(as("ids") == "row-001\nrow-002\n");
  CHECK(as("csv") == "id,title,tags\r\nrow-001,One,\"a,b\"\r\nrow-002,\"Two, \x1b[31mred\",\r\n");
  CHECK(as("tsv") == "id\ttitle\ttags\nrow-001\tOne\ta,b\nrow-002\tTwo, \x1b[31mred\t\n");
  CHECK(Json::parse(as("json")).at("rows").size() == 2);
  CHECK(Json::parse(as("jsonl").substr(0, as("jsonl").find('\n'))).at("id") == "row-001");
  CHECK(as("md").find("| row-001 | One | a, b |") != std::string::npos);
  CHECK(as("yaml").find("title: One") != std::string::npos);
  CHECK(as("yaml").find('\x1b') == std::string::npos);
}

TEST_CASE("a command gives all rows in every format", "[commands]") {
  Workspace workspace;
  for (int i = 100; i < 160; ++i)
    workspace.write("tasks/row-" + std::to_string(i) + ".md", "---\ntitle: x\n---\n");
  std::string ids = workspace.out({"query", "tasks", "-o", "ids"});
  CHECK(std::count(ids.begin(), ids.end(), '\n') == 63);
  Json page = Json::parse(workspace.out({"query", "tasks", "--json"}));
  CHECK(page.at("returned") == 63);
  CHECK_FALSE(page.contains("next_offset"));
  CHECK(workspace.out({"query", "tasks", "--count"}) == "63\n");
}

TEST_CASE("exit codes tell done, refused and wrong usage apart", "[commands]") {
  Workspace workspace;
  CHECK(workspace.run({"query", "tasks", "--where", "title = nothing"}).exit_code == 0);
  CHECK(workspace.run({"get", "tasks", "row-999"}).exit_code == 1);
  CHECK(workspace.run({"query", "tasks", "--where", "titel = x"}).exit_code == 1);
  for (const Words& wrong : {Words{},
                             Words{"qurey"},
                             Words{"query"},
                             Words{"query", "tasks", "more"},
                             Words{"query", "tasks", "--limit"},
                             Words{"list", "-o", "xml"},
                             Words{"call", "db_nothing"},
                             Words{"completion", "tcsh"}}) {
    Finished done = workspace.run(wrong);
    INFO(done.err);
    CHECK(done.exit_code == 2);
    CHECK(done.out.empty());
    CHECK_FALSE(done.err.empty());
  }
}

TEST_CASE("a failure is one sentence, or one object where JSON is asked for", "[commands]") {
  Workspace workspace;
  Finished sentence = workspace.run({"get", "tasks", "row-01"});
  CHECK(sentence.out.empty());
  CHECK(sentence.err.find("notesdb: ") == 0);
  CHECK(sentence.err.find('\n') == sentence.err.size() - 1);
  Finished object = workspace.run({"get", "tasks", "row-01", "--json"});
  CHECK(Json::parse(object.err).at("error").at("code") == "unknown_row");
  Finished usage = workspace.run({"--json", "qurey"});
  CHECK(Json::parse(usage.err).at("error").at("data").at("nearest") == "query");
}

TEST_CASE("global flags may stand before or after the command", "[commands]") {
  Workspace workspace;
  CHECK(workspace.out({"-o", "ids", "list"}) == "tasks\n");
  CHECK(workspace.out({"list", "-o", "ids"}) == "tasks\n");
  CHECK(workspace.run({"--read-only", "delete", "tasks", "row-001"}).exit_code == 1);
  CHECK(workspace.run({"delete", "tasks", "row-001", "--read-only"}).exit_code == 1);
  CHECK(workspace.has("tasks/row-001.md"));
}

TEST_CASE("the operations of a batch come from standard input", "[commands]") {
  Workspace workspace;
  workspace.out({"batch", "--operations", "-"},
                R"([{"action": "delete", "database_id": "tasks", "row_id": "row-010"}])");
  CHECK(!workspace.has("tasks/row-010.md"));
}

TEST_CASE("a body comes from a flag, a file or standard input", "[commands]") {
  Workspace workspace;
  workspace.out({"update", "tasks", "row-001", "--body-file", "-"}, "From input\n");
  CHECK(workspace.read("tasks/row-001.md").find("From input\n") != std::string::npos);
  workspace.out({"update", "tasks", "row-001", "--fields", "-"}, R"({"title":"New"})");
  CHECK(workspace.read("tasks/row-001.md").find("title: New\n") != std::string::npos);
  CHECK(workspace.run({"update", "tasks", "row-001", "--body-file", "/nowhere"}).exit_code == 1);
  CHECK(
      workspace.run({"update", "tasks", "row-001", "--body", "a", "--body-file", "-"}).exit_code ==
      1);
}

TEST_CASE("a dry run of every writer shows a diff and leaves no trace", "[commands]") {
  Workspace workspace;
  std::string before = workspace.read("tasks/row-001.md");
  CHECK(workspace.out({"update", "tasks", "row-001", "--set", "size=5", "--dry-run"})
            .find("-size: 1\n+size: 5\n") != std::string::npos);
  CHECK(
      workspace.out({"insert", "tasks", "--set", "title=New", "--dry-run"}).find("+title: New\n") !=
      std::string::npos);
  CHECK(workspace.out({"delete", "tasks", "row-001", "--dry-run"}).find("-title: One\n") !=
        std::string::npos);
  CHECK(workspace.out({"create", "More", "--column", "a:text", "--dry-run"})
            .find("more/_schema.md") != std::string::npos);
  CHECK(workspace.read("tasks/row-001.md") == before);
  CHECK_FALSE(workspace.has(".notesdb"));
  CHECK_FALSE(workspace.has("more"));
}

TEST_CASE("a write that changes nothing says so and leaves the file alone", "[commands]") {
  Workspace workspace;
  Finished same = workspace.run({"update", "tasks", "row-001", "--set", "title=One"});
  CHECK(same.exit_code == 0);
  CHECK(same.err == "no change: the row already has these values\n");
  CHECK(same.out.find("Body") == std::string::npos);
}

TEST_CASE("what a write says can be taken back", "[commands]") {
  Workspace workspace;
  std::string before = workspace.read("tasks/row-001.md");
  Finished done = workspace.run({"delete", "tasks", "row-001"});
  CHECK_FALSE(workspace.has("tasks/row-001.md"));
  const std::string words = "notesdb undo ";
  std::string change = done.err.substr(done.err.find(words) + words.size());
  change.pop_back();
  CHECK(workspace.out({"undo", change}).starts_with("path\n"));
  CHECK(workspace.read("tasks/row-001.md") == before);
}

TEST_CASE("a change that has no ids to show is done all the same", "[commands]") {
  Workspace workspace;
  workspace.out({"update", "tasks", "row-001", "--set", "title=Other"});
  Finished undone = workspace.run({"undo", "-o", "ids"});
  CHECK(undone.exit_code == 0);
  CHECK(undone.out.empty());
  CHECK(undone.err.find("undo with: notesdb undo ") != std::string::npos);
  CHECK(workspace.read("tasks/row-001.md").find("Other") == std::string::npos);
  CHECK(workspace.run({"aggregate", "tasks", "-o", "ids"}).exit_code == 2);
}

TEST_CASE("a folder without databases says so, and one to infer is named as one likes",
          "[commands]") {
  const driving::ScratchFolder folder;
  fs::create_directories(folder.path() / "in/notes");
  std::ofstream(folder.path() / "in/notes/a.md") << "---\ntitle: A\n---\n";
  const std::string root = (folder.path() / "in").string();
  const std::string told = driving::run({driving::program(), "list", "--root", root}, {}).err;
  CHECK(told.starts_with("no databases: "));
  CHECK(told.find("notesdb infer DIR --write") != std::string::npos);
  for (const std::string& name : {std::string("notes"), root + "/notes", root + "/notes/"}) {
    CAPTURE(name);
    const Finished done = driving::run({driving::program(), "infer", name, "--root", root}, {});
    CHECK(done.exit_code == 0);
    CHECK(done.err.starts_with("notes: 1 row, "));
  }
  CHECK(driving::run({driving::program(), "infer", "..", "--root", root}, {}).exit_code == 1);
}

TEST_CASE("a reader that goes away is a normal end, a full disk is not", "[commands]") {
  Workspace workspace;
  auto shell = [&](const std::string& line) {
    return driving::run({"bash", "-c", line, driving::program()},
                        {{"NOTESDB_ROOT", workspace.root()}});
  };
  // The reader is gone before the first byte is written.
  Finished closed = shell("{ sleep 0.1; \"$0\" query tasks; echo $? >&2; } | true");
  CHECK(closed.err == "0\n");
  Finished full = shell("\"$0\" query tasks > /dev/full");
  CHECK(full.exit_code == 1);
  CHECK(full.err.find("cannot write to standard output") != std::string::npos);
}

TEST_CASE("config show says where each setting came from", "[commands]") {
  Workspace workspace;
  workspace.write("notesdb.yaml", "max_rows: 7\n");
  std::string shown = workspace.out({"config", "show", "--read-only", "-o", "tsv"});
  CHECK(shown.find("max_rows\t7\tnotesdb.yaml\n") != std::string::npos);
  CHECK(shown.find("read_only\ttrue\t--read-only\n") != std::string::npos);
  CHECK(shown.find("NOTESDB_ROOT\n") != std::string::npos);
  workspace.write("notesdb.yaml", "max_rows: none\n");
  Finished refused = workspace.run({"list"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.err.find("max_rows") != std::string::npos);
}

TEST_CASE("settings that cannot be read are not taken for none", "[commands]") {
  Workspace workspace;
  fs::create_directory(fs::path(workspace.root()) / "notesdb.yaml");
  const Finished refused = workspace.run({"list"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.err.find("notesdb.yaml") != std::string::npos);
}

TEST_CASE("docs/commands.md is what notesdb help --markdown prints", "[commands]") {
  std::ifstream in(NOTESDB_SOURCE_DIR "/docs/commands.md", std::ios::binary);
  std::string docs{std::istreambuf_iterator<char>(in), {}};
  CHECK(driving::run({driving::program(), "help", "--markdown"}, {}).out == docs);
}

TEST_CASE("a host sees the tools that the command shows", "[commands]") {
  Workspace workspace;
  driving::McpClient host({"--root", workspace.root()}, {});
  Json listed = host.request("tools/list", Json::object());
  CHECK(listed == Json::parse(workspace.out({"tools", "--json"})));
  CHECK(listed.dump().size() < 13'312);
  CHECK(host.finish().exit_code == 0);

  driving::McpClient reader({"--root", workspace.root(), "--read-only"}, {});
  listed = reader.request("tools/list", Json::object());
  for (const Json& tool : listed.at("tools"))
    CHECK(tool.at("annotations").at("readOnlyHint") == true);
  CHECK(listed == Json::parse(workspace.out({"tools", "--json", "--read-only"})));
}

TEST_CASE("failures may be plain results, for hosts that hide errors", "[commands]") {
  Workspace workspace;
  driving::McpClient host({"--root", workspace.root(), "--plain-errors"}, {});
  Json answer = host.request("tools/call",
                             {{"name", "db_query"}, {"arguments", {{"database_id", "nowhere"}}}});
  CHECK_FALSE(answer.value("isError", false));
  Json text = Json::parse(answer.at("content")[0].at("text").get<std::string>());
  CHECK(text.at("ok") == false);
  CHECK(text.at("code") == "unknown_database");
}

TEST_CASE("completions are scripts that their shells accept", "[commands]") {
  Workspace workspace;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    std::string script = workspace.out({"completion", shell});
    CHECK(script.find("notesdb __complete") != std::string::npos);
    if (!driving::is_installed(shell)) continue;
    CHECK(driving::run({shell, "-n"}, {}, script).exit_code == 0);
  }
}

// What bash offers for the last word of a line.
std::string completed(const Workspace& workspace, const std::string& words) {
  const std::string folder = fs::path(driving::program()).parent_path().string();
  const std::string script = workspace.out({"completion", "bash"}) + "COMP_WORDS=(" + words +
                             ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                             "_notesdb\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  const Finished done = driving::run({"env", "PATH=" + folder + ":/usr/bin:/bin", "bash"},
                                     {{"NOTESDB_ROOT", workspace.root()}},
                                     script);
  INFO(done.err);
  CHECK(done.exit_code == 0);
  return done.out;
}

TEST_CASE("bash completes what a workspace holds", "[commands]") {
  if (!driving::is_installed("bash")) return;
  Workspace workspace;
  workspace.write("tasks/_schema.md",
                  "---\nname: Tasks\ncolumns:\n  - { id: title, type: text }\n"
                  "  - { id: status, type: select, options: [open, done] }\n"
                  "views:\n  - { id: recent, type: table }\n---\n");
  CHECK(completed(workspace, "notesdb que") == "query\n");
  CHECK(completed(workspace, "notesdb query ta") == "tasks\n");
  CHECK(completed(workspace, "notesdb get tasks row-00") == "row-001\nrow-002\n");
  CHECK(completed(workspace, "notesdb show tasks row-01") == "row-010\n");
  CHECK(completed(workspace, "notesdb query tasks --sel") == "--select\n");
  CHECK(completed(workspace, "notesdb query tasks --select title,st") == "title,status\n");
  CHECK(completed(workspace, "notesdb query tasks --view ''") == "recent\n");
  CHECK(completed(workspace, "notesdb update tasks row-001 --set sta") == "status=\n");
  CHECK(completed(workspace, "notesdb update tasks row-001 --set status = o") == "open\n");
  CHECK(completed(workspace, "notesdb call db_que") == "db_query\n");
  CHECK(completed(workspace, "notesdb query tasks -o js") == "json\njsonl\n");
}

TEST_CASE("an editor's text is checked before it is stored", "[commands]") {
  Workspace workspace;
  const auto edited_by = [&](const std::string& editor) {
    return driving::run({driving::program(), "edit", "tasks", "row-001"},
                        {{"NOTESDB_ROOT", workspace.root()}, {"EDITOR", editor}});
  };
  const std::string before = workspace.read("tasks/row-001.md");
  const Finished same = edited_by("true");
  CHECK(same.exit_code == 0);
  CHECK(same.err == "no change\n");
  const Finished wrong = edited_by("sed -i 's/size: 1/size: many/'");
  CHECK(wrong.exit_code == 1);
  CHECK(wrong.err.find("many") != std::string::npos);
  CHECK(wrong.err.find("what you wrote is in ") != std::string::npos);
  CHECK(workspace.read("tasks/row-001.md") == before);
  CHECK(edited_by("false").exit_code == 1);
  // Comments and spelling stay as they were written.
  const Finished right = edited_by("sed -i 's/size: 1/size:   7  # seven/'");
  CHECK(right.exit_code == 0);
  CHECK(workspace.read("tasks/row-001.md").find("size:   7  # seven\n") != std::string::npos);
  const std::size_t change = right.err.rfind(' ');
  REQUIRE(change != std::string::npos);
  const std::string id = right.err.substr(change + 1, right.err.find('\n') - change - 1);
  CHECK(workspace.run({"undo", id}).exit_code == 0);
  CHECK(workspace.read("tasks/row-001.md") == before);
}

TEST_CASE("a watch tells changes as lines of JSON", "[commands]") {
  Workspace workspace;
  driving::Process watch({"timeout", "12", driving::program(), "watch", "tasks"},
                         {{"NOTESDB_ROOT", workspace.root()}});
  // Rows are written until the first look has happened and one of them is told.
  std::optional<std::string> line;
  std::thread writer([&] {
    for (int i = 0; i < 40; ++i) {
      workspace.write("tasks/new-" + std::to_string(i) + ".md", "---\ntitle: x\n---\n");
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  });
  line = watch.read_line();
  writer.join();
  REQUIRE(line);
  const Json told = Json::parse(*line);
  CHECK(told.at("change") == "inserted");
  CHECK(told.at("database_id") == "tasks");
  CHECK(told.at("row_id").get<std::string>().starts_with("new-"));
}

}  // namespace
}  // namespace notesdb
