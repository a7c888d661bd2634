// Awkward strings go in by insert and by update and come back equal: from the program, and from
// other programs that read the file (PyYAML for YAML 1.1, libfyaml for YAML 1.2, where they are).
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "driving/mcp_client.h"
#include "driving/workspace.h"

namespace notesdb {
namespace {

using driving::Json;
using driving::McpClient;
using driving::Workspace;

const char* const kSchema =
    "---\nname: Strings\ncolumns:\n  - id: text\n    type: text\n  - id: list\n    type: list\n"
    "  - id: json\n    type: json\n---\n";

std::vector<std::string> awkward_strings() {
  const std::string path = std::string(NOTESDB_SOURCE_DIR) + "/fixtures/awkward_strings.json";
  auto strings = Json::parse(driving::read_bytes(path)).get<std::vector<std::string>>();
  std::string long_line;
  std::string long_text;
  for (int i = 0; i < 1000; ++i) {
    long_line += "word: #" + std::to_string(i) + " 'é' ";
    long_text += "line " + std::to_string(i) + ": \"x\"\n";
  }
  strings.push_back(long_line);
  strings.push_back(long_text);
  strings.emplace_back(20'000, 'x');
  return strings;
}

// The fields that a row holds for one string.
Json fields_of(const std::string& text) {
  return {{"text", text}, {"list", {text, "x", text}}, {"json", {{"key", text}, {"in", {text}}}}};
}

// What should be in the folder: row id -> fields.
using Expected = std::vector<std::pair<std::string, Json>>;

void check_success(const Json& answer, const std::string& text) {
  INFO(driving::visible(text));
  if (answer.contains("error")) FAIL_CHECK(answer.dump());
}

Expected insert_all(McpClient& client, const std::vector<std::string>& strings) {
  Expected rows;
  for (std::size_t i = 0; i < strings.size(); ++i) {
    const std::string id = "inserted-" + std::to_string(i);
    check_success(client.call("db_insert_row",
                              {{"database_id", "strings"},
                               {"row_id", id},
                               {"fields", fields_of(strings[i])},
                               {"body", "Body.\n"}}),
                  strings[i]);
    rows.emplace_back(id, fields_of(strings[i]));
  }
  return rows;
}

Json etag_of(McpClient& client, const std::string& id) {
  const Json row =
      client.call("db_get_row", {{"database_id", "strings"}, {"row_id", id}}).at("row");
  return row.at("etag");
}

// Into rows written by hand, in the style that each of them has.
Expected update_all(McpClient& client,
                    const Workspace& workspace,
                    const std::vector<std::string>& strings) {
  static const std::vector<std::string> styles{
      "---\ntext: old # c\nlist: [old] # c\njson:\n  key: v\n---\nBody.\n",
      "---\ntext: 'old'\nlist:\n- old\n---\nBody.\n",
      "---\njson: {key: v}\ntext: \"old\"\nlist:\n  - 'old'\n# end\n---\nBody.\n",
      "---\ntext: |\n  old\n  text\n---\nBody.\n"};
  Expected rows;
  for (std::size_t i = 0; i < strings.size(); ++i) {
    const std::string id = "updated-" + std::to_string(i);
    workspace.write("strings/" + id + ".md", styles[i % styles.size()]);
    check_success(client.call("db_update_row",
                              {{"database_id", "strings"},
                               {"row_id", id},
                               {"etag", etag_of(client, id)},
                               {"fields", fields_of(strings[i])}}),
                  strings[i]);
    rows.emplace_back(id, fields_of(strings[i]));
  }
  return rows;
}

// The text between the fences of a row's file.
std::string front_matter_of(const Workspace& workspace, const std::string& id) {
  const std::string bytes = driving::read_bytes(workspace.root() / "strings" / (id + ".md"));
  const std::size_t start = bytes.find('\n') + 1;
  return bytes.substr(start, bytes.find("\n---", start) + 1 - start);
}

void check_fields(const Json& expected, const Json& found, const std::string& what) {
  for (const auto& [key, value] : expected.items())
    if (found.value(key, Json()) != value)
      FAIL_CHECK(what << ", " << key << ": expected " << value.dump().substr(0, 300) << "\n  found "
                      << found.dump().substr(0, 600));
}

// PyYAML, all rows in one go: {id: fields} as JSON.
std::optional<Json> read_with_pyyaml(const Workspace& workspace) {
  static const char* const script = R"(
import json, os, sys, yaml
rows = {}
for name in os.listdir(sys.argv[1]):
    if name.startswith('_'): continue
    text = open(os.path.join(sys.argv[1], name), newline='', encoding='utf-8').read()
    front = text.split('\n', 1)[1]
    front = front[:front.index('\n---') + 1]
    try: rows[name[:-3]] = yaml.safe_load(front)
    except Exception as error: rows[name[:-3]] = {'refused': str(error)}
json.dump(rows, sys.stdout, default=str)
)";
  const auto folder = (workspace.root() / "strings").string();
  if (!driving::is_installed("python3")) return std::nullopt;
  if (driving::run({"python3", "-c", "import yaml"}, {}).exit_code != 0) return std::nullopt;
  return Json::parse(driving::run({"python3", "-c", script, folder}, {}).out);
}

Json read_with_libfyaml(const std::string& front_matter) {
  const auto done = driving::run({"fy-tool", "--dump", "--mode", "json", "-"}, {}, front_matter);
  Json value = Json::parse(done.out, nullptr, false);
  if (value.is_discarded()) return {{"refused", done.err}};
  return value;
}

void check_with_libfyaml(const Workspace& workspace, const Expected& rows) {
  for (const auto& [id, fields] : rows) {
    const std::string front_matter = front_matter_of(workspace, id);
    const Json read = read_with_libfyaml(front_matter);
    Json expected = fields;
    // The tool prints `1` of a block scalar without quotes, though a block scalar is text in YAML.
    const bool is_block = front_matter.find("text: |") != std::string::npos;
    if (is_block && read.contains("text") && !read["text"].is_string()) expected.erase("text");
    check_fields(expected, read, "libfyaml, " + id);
  }
}

TEST_CASE("awkward strings come back equal, from every reader", "[strings]") {
  const auto strings = awkward_strings();
  REQUIRE(strings.size() > 150);
  const Workspace workspace;
  workspace.write("strings/_schema.md", kSchema);
  McpClient client(workspace.flags(), workspace.environment());
  Expected rows = insert_all(client, strings);
  const Expected updated = update_all(client, workspace, strings);
  rows.insert(rows.end(), updated.begin(), updated.end());

  for (const auto& [id, fields] : rows) {
    const Json answer = client.call("db_get_row", {{"database_id", "strings"}, {"row_id", id}});
    if (!answer.contains("row")) {
      FAIL_CHECK(id << ": " << answer.dump());
      continue;
    }
    check_fields(fields, answer["row"]["fields"], "notesdb, " + id);
    CHECK(answer["row"]["body"] == "Body.\n");
  }

  if (const auto read = read_with_pyyaml(workspace)) {
    for (const auto& [id, fields] : rows)
      check_fields(fields, read->value(id, Json::object()), "PyYAML, " + id);
  } else {
    WARN("skipped: PyYAML is not installed, so no YAML 1.1 reader has looked at the files");
  }

  if (driving::is_installed("fy-tool")) {
    check_with_libfyaml(workspace, rows);
  } else {
    WARN("skipped: fy-tool is not installed, so no other YAML 1.2 reader has looked at the files");
  }
}

}  // namespace
}  // namespace notesdb
