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

TEST_CASE("settings that are no JSON are refused, not replaced", "[serving]") {
  CHECK(added("gemini", "{\"a\": 1,}") == "malformed_file");
  CHECK(added("gemini", "[1]") == "malformed_file");
  CHECK(added("gemini", "{\"mcpServers\": []}") == "malformed_file");
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

TEST_CASE("an unknown host is refused with the hosts there are", "[serving]") {
  Result<Host> host = find_host("cursr");
  REQUIRE_FALSE(host);
  CHECK(host.error().message.find("Did you mean 'cursor'") != std::string::npos);
}

}  // namespace
}  // namespace notesdb
