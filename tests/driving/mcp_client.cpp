#include "driving/mcp_client.h"

#include <stdexcept>

namespace notesdb::driving {
namespace {

Words server_words(const Words& words) {
  Words all{program(), "mcp"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

Json parse_line(const std::string& line) {
  Json message = Json::parse(line, nullptr, false);
  if (!message.is_object())
    throw std::runtime_error("standard output is not one JSON object a line: " + line);
  return message;
}

Json parse_text_part(const Json& result) {
  const Json& content = result.at("content");
  if (content.empty() || content[0].value("type", "") != "text")
    throw std::runtime_error("an answer without a text part: " + result.dump());
  Json text = Json::parse(content[0].at("text").get<std::string>(), nullptr, false);
  if (text.is_discarded())
    throw std::runtime_error("the text part is not JSON: " + content[0].dump());
  return text;
}

}  // namespace

McpClient::McpClient(const Words& words, const Environment& extra)
    : process_(server_words(words), extra) {
  const Json answer = request("initialize",
                              {{"protocolVersion", "2025-11-25"},
                               {"capabilities", Json::object()},
                               {"clientInfo", {{"name", "cases"}, {"version", "1"}}}});
  if (answer.value("protocolVersion", "") != "2025-11-25")
    throw std::runtime_error("the handshake failed: " + answer.dump());
  process_.write_line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
}

Json McpClient::request(const std::string& method, const Json& params) {
  const int id = next_id_++;
  process_.write_line(
      Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump());
  while (true) {
    const auto line = process_.read_line();
    if (!line) throw std::runtime_error("the server ended: " + process_.finish().err);
    const Json message = parse_line(*line);
    if (message.contains("method")) continue;
    if (message.value("id", -1) != id)
      throw std::runtime_error("an answer to another request: " + *line);
    if (message.contains("error")) return Json{{"rpc_error", message.at("error")}};
    return message.at("result");
  }
}

Json McpClient::call(const std::string& tool, const Json& arguments) {
  const Json result = request("tools/call", {{"name", tool}, {"arguments", arguments}});
  if (result.contains("rpc_error")) return result;
  Json text = parse_text_part(result);
  if (result.value("isError", false)) return text.contains("error") ? text : Json{{"error", text}};
  if (result.value("structuredContent", Json()) != text)
    throw std::runtime_error("structuredContent is not what the text part says");
  return text;
}

}  // namespace notesdb::driving
