#include "serving/host_settings.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace notesdb {
namespace {

std::string added(const char* host, std::string_view settings) {
  Result<Host> found = find_host(host);
  REQUIRE(found);
  ServerEntry entry{"notesdb", "/usr/bin/notesdb", {"mcp", "--root", "/home/me/my notes"}};
  Result<std::string> text = with_server_entry(*found, settings, entry);
  return text ? *text : name_of(text.error().code).data();
}

TEST_CASE("a host without settings gets a file with one server", "[serving]") {
  auto tree = nlohmann::json::parse(added("claude-desktop", ""));
  CHECK(tree["mcpServers"]["notesdb"]["command"] == "/usr/bin/notesdb");
  CHECK(tree["mcpServers"]["notesdb"]["args"][2] == "/home/me/my notes");
  CHECK(nlohmann::json::parse(added("vscode", " \n"))["servers"]["notesdb"]["type"] == "stdio");
}

TEST_CASE("other servers and settings stay, in their order", "[serving]") {
  std::string text =
      added("cursor", R"({"zoom": 1.5, "mcpServers": {"b": {"url": "x"}, "a": {}}, "last": null})");
  CHECK(text.find("zoom") < text.find("mcpServers"));
  CHECK(text.find("\"b\"") < text.find("\"a\""));
  CHECK(text.find("\"a\"") < text.find("\"notesdb\""));
  CHECK(text.find("\"notesdb\"") < text.find("\"last\""));
  CHECK(added("cursor", text) == text);
}

TEST_CASE("an entry of ours keeps what else it says", "[serving]") {
  std::string text =
      added("gemini",
            R"({"mcpServers": {"notesdb": {"command": "old", "env": {"A": "b"}, "trust": true}}})");
  auto entry = nlohmann::json::parse(text)["mcpServers"]["notesdb"];
  CHECK(entry["command"] == "/usr/bin/notesdb");
  CHECK(entry["env"]["A"] == "b");
  CHECK(entry["trust"] == true);
  text = added("gemini", R"({"mcpServers": {"notesdb": {"url": "http://x"}}})");
  CHECK_FALSE(nlohmann::json::parse(text)["mcpServers"]["notesdb"].contains("url"));
}

TEST_CASE("settings that are not JSON are refused, not replaced", "[serving]") {
  CHECK(added("gemini", "[1]") == "malformed_file");
  CHECK(added("gemini", "{\"mcpServers\": []}") == "malformed_file");
}

TEST_CASE("servers that Jazz lists without a key above them are not hidden", "[serving]") {
  CHECK(added("jazz", R"({"other": {"command": "x"}})") == "malformed_file");
  CHECK(added("jazz", R"({"mcpServers": {"other": {"command": "x"}}})").find("other") !=
        std::string::npos);
  CHECK(added("jazz", "{}").find("/usr/bin/notesdb") != std::string::npos);
}

TEST_CASE("a table of TOML settings is added once and replaced after that", "[serving]") {
  std::string before = "model = \"x\"  # mine\n\n[mcp_servers.other]\ncommand = \"o\"\n";
  std::string once = added("codex", before);
  CHECK(once.starts_with(before));
  CHECK(once.find("[mcp_servers.notesdb]\ncommand = \"/usr/bin/notesdb\"\nargs = [\"mcp\", "
                  "\"--root\", \"/home/me/my notes\"]\n") != std::string::npos);
  CHECK(added("codex", once) == once);
  std::string middle = "[mcp_servers.notesdb]\ncommand = \"old\"\n\n[tools]\nweb = true\n";
  CHECK(added("codex", middle) ==
        "[mcp_servers.notesdb]\ncommand = \"/usr/bin/notesdb\"\nargs = [\"mcp\", \"--root\", "
        "\"/home/me/my notes\"]\n\n[tools]\nweb = true\n");
}

std::string removed(const char* host, std::string_view settings) {
  Result<Host> found = find_host(host);
  REQUIRE(found);
  Result<std::string> text = without_server_entry(*found, settings, "notesdb");
  return text ? *text : name_of(text.error().code).data();
}

TEST_CASE("comments and trailing commas of an editor's settings stay", "[serving]") {
  const std::string before =
      "{\n  // mine\n  \"theme\": \"a, }\",\n  \"context_servers\": {\n    \"b\": { \"command\": "
      "\"x\", },\n"
      "  },\n}\n";
  const std::string after = added("zed", before);
  CHECK(after ==
        "{\n  // mine\n  \"theme\": \"a, }\",\n  \"context_servers\": {\n    \"b\": { \"command\": "
        "\"x\", },\n"
        "    \"notesdb\": {\n      \"source\": \"custom\",\n      \"command\": "
        "\"/usr/bin/notesdb\",\n"
        "      \"args\": [\n        \"mcp\",\n        \"--root\",\n        \"/home/me/my notes\"\n "
        "     ]\n"
        "    },\n  },\n}\n");
  CHECK(added("zed", after) == after);
  CHECK(removed("zed", after) == before);
}

TEST_CASE("each host has its own shape of an entry", "[serving]") {
  const auto entry = [](const char* host, const char* group) {
    return nlohmann::json::parse(added(host, ""))[group]["notesdb"];
  };
  CHECK(entry("copilot", "mcpServers")["type"] == "local");
  CHECK(entry("copilot", "mcpServers")["tools"] == nlohmann::json::array({"*"}));
  CHECK(entry("opencode", "mcp")["command"] ==
        nlohmann::json::array({"/usr/bin/notesdb", "mcp", "--root", "/home/me/my notes"}));
  CHECK(entry("windsurf", "mcpServers")["command"] == "/usr/bin/notesdb");
  CHECK(entry("jazz", "mcpServers")["command"] == "/usr/bin/notesdb");
  const std::string goose =
      added("goose", "GOOSE_MODEL: x  # mine\nextensions:\n  dev:\n    enabled: true\n");
  CHECK(goose.starts_with(
      "GOOSE_MODEL: x  # mine\nextensions:\n  dev:\n    enabled: true\n  notesdb:\n"));
  CHECK(goose.find("cmd: /usr/bin/notesdb") != std::string::npos);
  CHECK(added("goose", goose) == goose);
  CHECK(removed("goose", goose) ==
        "GOOSE_MODEL: x  # mine\nextensions:\n  dev:\n    enabled: true\n");
}

// One entry of notesdb, however it is spelled, and what is left of the text without it.
TEST_CASE("an entry of TOML settings is found in every spelling", "[serving]") {
  const char* const spellings[] = {
      "[mcp_servers.\"notesdb\"]\ncommand = \"old\"\n",
      "[ mcp_servers . notesdb ]\ncommand = 'old'\nargs = [\n  \"a\",\n]\n",
      "[mcp_servers]\nnotesdb = { command = \"old\", args = [] }\n",
      "mcp_servers = { notesdb = { command = \"old\" } }\n",
      "[mcp_servers]\nother = { command = \"o\" }\nnotesdb = { command = \"old\", env = { A = "
      "\"b\" } }\n",
      "text = \"\"\"\n[mcp_servers.notesdb]\n\"\"\"\n[mcp_servers.notesdb]\ncommand = "
      "\"old\"\n\n[mcp_servers.notesdb.env]\nA = "
      "\"b\"\n",
  };
  for (const char* spelling : spellings) {
    INFO(spelling);
    const std::string after = added("codex", spelling);
    const Result<std::vector<FoundEntry>> found = notesdb_entries(*find_host("codex"), after);
    REQUIRE(found);
    REQUIRE(found->size() == 1);
    CHECK(found->front().root == "/home/me/my notes");
    CHECK(added("codex", after) == after);
    CHECK(after.find("old") == std::string::npos);
    const std::string gone = removed("codex", after);
    CHECK(gone.find("/usr/bin/notesdb") == std::string::npos);
    CHECK(notesdb_entries(*find_host("codex"), gone)->empty());
  }
  CHECK(added("codex", "[mcp_servers\n") == "malformed_file");
  CHECK(added("codex", "mcp_servers = 3\n") == "malformed_file");
  CHECK(removed("codex", "a = 1\n") == "a = 1\n");
}

TEST_CASE("a host's variable moves its settings", "[serving]") {
  const auto place = [](const char* host, Scope scope) {
    const auto found = settings_place(*find_host(host), scope, "/p", [](const std::string& name) {
      return name == "HOME"         ? std::optional<std::string>("/h")
             : name == "CODEX_HOME" ? std::optional<std::string>("/c")
                                    : std::nullopt;
    });
    return found ? found->path : std::string(name_of(found.error().code));
  };
  CHECK(place("codex", Scope::user) == "/c/config.toml");
  CHECK(place("claude-code", Scope::user) == "/h/.claude.json");
  CHECK(place("claude-code", Scope::project) == "/p/.mcp.json");
  CHECK(place("vscode", Scope::user) == "/h/.config/Code/User/mcp.json");
  CHECK(place("windsurf", Scope::project) == "invalid_argument");
  CHECK(place("jazz", Scope::user) == "/h/.agents/mcp.json");
  CHECK(place("jazz", Scope::project) == "/p/.agents/mcp.json");
}

TEST_CASE("an unknown host is refused with the hosts there are", "[serving]") {
  Result<Host> host = find_host("cursr");
  REQUIRE_FALSE(host);
  CHECK(host.error().message.find("did you mean 'cursor'") != std::string::npos);
}

}  // namespace
}  // namespace notesdb
