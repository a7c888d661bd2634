// Commands answered by a server: the same bytes as from the files, or no answer at all.
#include "serving/command_server.h"

#include <cstdlib>
#include <filesystem>
#include <map>

#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "database/made_workspace.h"
#include "serving/local_answer.h"

namespace notesdb {
namespace {

using Lines = std::vector<std::string>;

// A runtime folder with a path short enough for a socket.
class RuntimeFolder {
 public:
  RuntimeFolder() { path_ = ::mkdtemp(path_.data()); }
  RuntimeFolder(const RuntimeFolder&) = delete;
  RuntimeFolder& operator=(const RuntimeFolder&) = delete;
  ~RuntimeFolder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/notesdb-XXXXXX";
};

// A workspace with a server, and commands that are run in its folder.
class Served {
 public:
  Served() {
    made.write("tasks/_schema.md", task_schema);
    made.write("tasks/row-1.md", "---\ntitle: One\nstatus: open\nestimate: 3\n---\nA body.\n");
    made.write("tasks/row-2.md", "---\ntitle: \"Two \\e[31m\"\nstatus: done\n---\n");
    made.write("tasks/row-3.md", "---\ntitle: [broken\n---\n");
    variables["XDG_RUNTIME_DIR"] = runtime.path();
  }

  cli::CommandEnvironment around() const {
    return {[this](const std::string& name) -> std::optional<std::string> {
              const auto found = variables.find(name);
              if (found == variables.end()) return std::nullopt;
              return found->second;
            },
            made.root().string()};
  }
  std::unique_ptr<CommandServer> open_door() const {
    const Environment environment = [all = variables](const std::string& name) {
      const auto found = all.find(name);
      return found == all.end() ? std::nullopt : std::optional<std::string>(found->second);
    };
    Settings settings = *read_settings({}, environment, made.root().string());
    std::shared_ptr<Workspace> workspace = *Workspace::open(settings);
    workspace->stay();
    return std::make_unique<CommandServer>(
        workspace, environment, listen_for_commands(settings.root.value, environment));
  }
  std::optional<LocalReply> ask(const Lines& words, cli::Reader reader = {}) const {
    return ask_server(words, around(), reader);
  }

  MadeWorkspace made;
  RuntimeFolder runtime;
  std::map<std::string, std::string> variables;
};

// What the command line says in a process of its own.
LocalReply from_files(const Served& served, Lines words, cli::Reader reader = {}) {
  LocalReply reply{.answered = true};
  cli::Console console(reader, [&](cli::Stream stream, std::string_view text) {
    reply.output.emplace_back(stream, text);
    return true;
  });
  console.set_colours(reader.is_terminal);
  const cli::Commands commands({});
  const std::optional<cli::Command> command = commands.find(words.front());
  words.erase(words.begin());
  const auto parsed = cli::parse_words(*command, words);
  const cli::CommandEnvironment around = served.around();
  reply.exit = static_cast<int>(command->run({*parsed, console, around}));
  console.flush();
  return reply;
}

void check_same(const LocalReply& served, const LocalReply& direct) {
  CHECK(served.exit == direct.exit);
  CHECK(served.output == direct.output);
}

TEST_CASE("a server gives the bytes that the files give", "[serving]") {
  const Served served;
  const auto door = served.open_door();
  REQUIRE(door->is_open());
  std::vector<Lines> questions{
      {"list"},
      {"schema", "tasks"},
      {"get", "tasks", "row-1"},
      {"get", "tasks", "row-9"},
      {"get", "tasks", "row-3"},
      {"query", "nothing"},
      {"query", "tasks", "--where", "nothing = 1"},
      {"query", "tasks", "-o", "nothing"},
      {"query", "tasks", "--count"},
      {"query", "tasks", "--where", "status = done", "--sort", "title:desc"},
      {"aggregate", "tasks", "--group-by", "status"}};
  for (const char* format : {"table", "json", "jsonl", "csv", "tsv", "yaml", "md", "ids"})
    questions.push_back({"query", "tasks", "--limit", "2", "-o", format});
  for (const Lines& words : questions) {
    for (const cli::Reader reader : {cli::Reader{}, cli::Reader{true, 40}}) {
      const auto answer = served.ask(words, reader);
      INFO(words.front() << " " << words.back());
      REQUIRE(answer);
      check_same(*answer, from_files(served, words, reader));
    }
  }
}

TEST_CASE("a server has seen an edit that ended before the question", "[serving]") {
  const Served served;
  const auto door = served.open_door();
  const Lines question{"query", "tasks", "--select", "title,estimate", "-o", "csv"};
  for (int round = 0; round < 50; ++round) {
    const std::string name = "tasks/row-" + std::to_string(round % 7) + ".md";
    if (round % 5 == 4)
      std::filesystem::remove(served.made.root() / name);
    else
      served.made.write(name, "---\ntitle: T" + std::to_string(round) + "\n---\n");
    const auto answer = served.ask(question);
    REQUIRE(answer);
    check_same(*answer, from_files(served, question));
  }
}

TEST_CASE("what is not a server's affair is left to the files", "[serving]") {
  Served served;
  const auto door = served.open_door();
  REQUIRE(served.ask({"list"}));
  const std::vector<Lines> not_asked{{"update", "tasks", "row-1", "--set", "title=Three"},
                                     {"delete", "tasks", "row-1"},
                                     {"version"},
                                     {"nothing"},
                                     {"list", "--no-server"},
                                     {"list", "--no-cache"},
                                     {"list", "--read-only"},
                                     {"list", "--help"},
                                     {"list", "--nothing"},
                                     {"get", "tasks"},
                                     {"query", "tasks", "--filters", "-"},
                                     {"query", "tasks", "--at", "yesterday"},
                                     {"list", "--root", "/"},
                                     {}};
  for (const Lines& words : not_asked) {
    INFO((words.empty() ? "" : words.back()));
    CHECK_FALSE(served.ask(words));
  }
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"NOTESDB_MAX_ROWS", "7"}, {"NOTESDB_READ_ONLY", "1"}, {"TZ", "Asia/Tokyo"}}) {
    const auto before = served.variables;
    served.variables[name] = value;
    INFO(name);
    CHECK_FALSE(served.ask({"list"}));
    served.variables = before;
  }
  CHECK_FALSE(door->answer({.version = "0.0.0", .folder = "/", .words = {"list"}}).answered);
}

TEST_CASE("a workspace of other settings than the server's is left to the files", "[serving]") {
  Served served;
  const auto door = served.open_door();
  const auto is_answered = [&] {
    const bool answered = served.ask({"list"}).has_value();
    CHECK(served.ask({"list"}).has_value() == answered);  // the same where they are known
    return answered;
  };
  CHECK(is_answered());
  served.made.write("notesdb.yaml", "max_rows: 3\n");
  CHECK_FALSE(is_answered());
  served.made.write("notesdb.yaml", "max_rows: 100\n");
  CHECK(is_answered());
  served.made.write("notesdb.yaml", "max_rows: nonsense\n");
  CHECK_FALSE(is_answered());
  std::filesystem::remove(served.made.root() / "notesdb.yaml");
  CHECK(is_answered());
  CHECK_FALSE(served.ask({"list", "--read-only"}));
  CHECK(is_answered());
  served.variables["NOTESDB_MAX_ROWS"] = "7";
  CHECK_FALSE(is_answered());
  served.variables["NOTESDB_MAX_ROWS"] = "100";
  CHECK(is_answered());
}

TEST_CASE("a socket without a server is none", "[serving]") {
  const Served served;
  CHECK_FALSE(served.ask({"list"}));
  served.open_door()->close();
  CHECK_FALSE(served.ask({"list"}));
  const auto place =
      local_place(served.made.root().string(), served.around().environment, PlaceFolder::find);
  REQUIRE(place);
  // Left after, as by a server that was killed.
  LocalSocket killed = listen_for_commands(served.made.root(), served.around().environment);
  REQUIRE(killed.listening);
  killed.listening.close();
  REQUIRE(std::filesystem::exists(*place));
  CHECK_FALSE(served.ask({"list"}));
  const auto next = served.open_door();
  CHECK(served.ask({"list"}));
}

TEST_CASE("a second server of a workspace leaves the door to the first", "[serving]") {
  const Served served;
  const auto first = served.open_door();
  CHECK_FALSE(served.open_door()->is_open());
  CHECK(served.ask({"list"}));
}

TEST_CASE("sockets lie where nobody else can put one", "[serving]") {
  const Served served;
  const auto door = served.open_door();
  REQUIRE(served.ask({"list"}));
  const std::string folder = served.runtime.path() + "/notesdb";
  struct stat status {};
  REQUIRE(::stat(folder.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    REQUIRE(::stat(entry.path().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
  }
  std::filesystem::permissions(folder, std::filesystem::perms(0770));
  CHECK_FALSE(served.ask({"list"}));
  CHECK_FALSE(listen_for_commands("/", served.around().environment).listening);
}

TEST_CASE("a local message survives its way, and a piece of one is none", "[serving]") {
  const LocalRequest request{.version = "1",
                             .folder = "/a b",
                             .reader = {true, 80},
                             .variables = {{"TZ", "UTC"}, {"NOTESDB_ROOT", "a=b"}},
                             .words = {"query", "", "x\ny"}};
  const auto bytes = encode(request);
  REQUIRE(bytes);
  const auto read = decode_request(*bytes);
  REQUIRE(read);
  CHECK(read->folder == request.folder);
  CHECK(read->reader.width == 80);
  CHECK(read->variables == request.variables);
  CHECK(read->words == request.words);
  CHECK_FALSE(encode(LocalRequest{.words = {std::string("a\0b", 3)}}));
  for (std::size_t length = 0; length < bytes->size(); ++length) {
    const auto cut = decode_request(std::string_view(*bytes).substr(0, length));
    if (cut) CHECK(cut->words != request.words);
  }

  const LocalReply reply{true, 1, {{cli::Stream::out, "one\n"}, {cli::Stream::err, ""}}};
  const std::string text = encode(reply);
  REQUIRE(decode_reply(text));
  CHECK(decode_reply(text)->output == reply.output);
  CHECK(decode_reply(text)->exit == 1);
  CHECK_FALSE(decode_reply(std::string_view(text).substr(0, text.size() - 2)));
  CHECK_FALSE(decode_reply(""));
}

}  // namespace
}  // namespace notesdb
