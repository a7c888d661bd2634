// tools/list and tools/call, as each revision knows them.
#include <utility>

#include "core/text.h"
#include "json/json_pen.h"
#include "mcp/methods.h"
#include "mcp/questions.h"

namespace notesdb::mcp {
namespace {

// Whether a repeated call matters, or what it destroys, is no question of a reader. Every host
// takes a call for one that may not be repeated, so only the opposite is worth its bytes.
Json show(const ToolAnnotations& annotations) {
  Json shown{{"readOnlyHint", annotations.read_only}};
  if (!annotations.read_only) {
    shown["destructiveHint"] = annotations.destructive;
    if (annotations.idempotent) shown["idempotentHint"] = true;
  }
  shown["openWorldHint"] = annotations.open_world;
  return shown;
}

Json show(const Tool& tool, const Server& server, const std::string& revision) {
  Json shown{{"name", tool.name}};
  if (has_structure(revision) && !tool.title.empty()) shown["title"] = tool.title;
  shown["description"] = tool.description;
  shown["inputSchema"] = tool.input_schema;
  // A failure shown as a plain result does not fit the schema of a success.
  const bool with_output = has_structure(revision) && !server.options().plain_errors;
  if (with_output && !tool.output_schema.is_null()) shown["outputSchema"] = tool.output_schema;
  if (has_annotations(revision)) shown["annotations"] = show(tool.annotations);
  if (!tool.meta.is_null()) shown["_meta"] = tool.meta;
  return shown;
}

Json text_part(std::string text) {
  return {{"type", "text"}, {"text", std::move(text)}};
}

// A part that the client's revision does not know, as text: an unknown type breaks its reader.
Json part_for(const Json& part, const std::string& revision) {
  const std::string type = text_of(part, "type");
  if (type == "resource_link" && !has_structure(revision)) return text_part(text_of(part, "uri"));
  if (type == "audio" && !has_audio(revision)) {
    return text_part("[audio, " + text_of(part, "mimeType") + "]");
  }
  return part;
}

// {...} with "ok": false in front.
std::string marked_as_failed(const std::string& json) {
  const bool empty = json == "{}";
  return R"({"ok":false)" + (empty ? "}" : "," + json.substr(1));
}

ResultMembers show(const ToolResult& result, const Server& server, const std::string& revision) {
  ResultMembers shown;
  const bool plain = result.failed && server.options().plain_errors;
  if (!result.json.empty()) {
    const std::string marked = plain ? marked_as_failed(result.json) : std::string();
    const std::string& json = plain ? marked : result.json;
    JsonPen pen(shown.written);
    pen.put(R"("content":[{"type":"text","text":)");
    pen.put_text(json);
    pen.put("}]");
    // A failure does not fit the tool's output schema, and clients check that it would.
    if (has_structure(revision) && !result.failed) {
      pen.put(R"(,"structuredContent":)");
      pen.put(json);
    }
  } else {
    Json content = Json::array();
    for (const Json& part : result.content)
      content.push_back(part_for(part, revision));
    shown.written = R"("content":)" + to_text(content);
  }
  if (result.failed && !plain) shown.written += R"(,"isError":true)";
  return shown;
}

RpcError unknown_tool(const Server& server, const std::string& name) {
  std::vector<std::string> names;
  for (const Tool& tool : server.tools())
    if (tool.listed) names.push_back(tool.name);
  constexpr std::size_t longest_shown = 100;
  const std::string shown = to_utf8(std::string_view(name).substr(0, longest_shown));
  std::string message = "Unknown tool: " + shown;
  if (auto nearest = nearest_name(name, names)) message += "; did you mean '" + *nearest + "'?";
  return invalid_params(message, {{"name", shown}, {"tools", names}});
}

}  // namespace

RpcResult<ResultMembers> list_tools(Server& server, Call& call) {
  // Never paged, so a cursor can only be a mistake; the empty one is a sloppy client's beginning.
  const Json* cursor = find(call.params(), "cursor");
  if (cursor != nullptr && !cursor->is_null() && *cursor != "") {
    return invalid_params("Unknown cursor: the list of tools is one page");
  }
  Json tools = Json::array();
  for (const Tool& tool : server.tools()) {
    if (tool.listed) tools.push_back(show(tool, server, call.caller().revision));
  }
  ResultMembers result;
  result.members["tools"] = std::move(tools);
  return result;
}

RpcResult<ResultMembers> call_tool(Server& server, Call& call) {
  const Json* name = find(call.params(), "name");
  if (name == nullptr || !name->is_string()) return invalid_params("name must be a string");
  const Tool* tool = server.find_tool(name->get<std::string>());
  if (tool == nullptr) return unknown_tool(server, name->get<std::string>());
  const Json* given = find(call.params(), "arguments");
  static const Json nothing = Json::object();
  const Json& arguments = given == nullptr || given->is_null() ? nothing : *given;
  if (!arguments.is_object()) return invalid_params("arguments must be an object");
  if (auto wrong = take_answers(server, call)) return *wrong;

  const std::optional<ToolResult> result = run_asking(tool->run, arguments, call);
  const std::string& revision = call.caller().revision;
  if (!result) {
    return show(ToolResult::failure_text("This call needs an answer that the client cannot give"),
                server,
                revision);
  }
  if (result->refusal) return *result->refusal;
  if (result->questions) return questions_result(server, call, *result->questions);
  return show(*result, server, revision);
}

}  // namespace notesdb::mcp
