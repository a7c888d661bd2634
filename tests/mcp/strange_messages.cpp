#include "mcp/strange_messages.h"

#include <algorithm>
#include <array>

namespace notesdb::mcp {
namespace {

constexpr const char* modern_meta =
    R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{},"progressToken":"p"})";

// None of them waits for anything.
constexpr std::array<const char*, 18> good = {
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}})",
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
    R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"r"}})",
    R"({"jsonrpc":"2.0","id":"ask-1","result":{"action":"accept","content":{"confirm":"Yes"}}})",
    R"({"jsonrpc":"2.0","id":1,"method":"ping"})",
    R"({"jsonrpc":"2.0","id":2,"method":"server/discover","params":{}})",
    R"({"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":""}})",
    R"({"jsonrpc":"2.0","id":"4","method":"tools/call","params":{"name":"test_simple_text","arguments":{}}})",
    R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"test_custom_header","arguments":{"region":"x"}}})",
    R"({"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"test_input_required_result_request_state","arguments":{},"inputResponses":{"a":{"action":"accept"}},"requestState":"x.y"}})",
    R"({"jsonrpc":"2.0","id":7,"method":"resources/list","params":{"cursor":"MTAw"}})",
    R"({"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"test://static-text"}})",
    R"({"jsonrpc":"2.0","id":9,"method":"resources/subscribe","params":{"uri":"test://watched-resource"}})",
    R"({"jsonrpc":"2.0","id":10,"method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["test://watched-resource"]}}})",
    R"({"jsonrpc":"2.0","id":11,"method":"prompts/get","params":{"name":"test_prompt_with_arguments","arguments":{"arg1":"a","arg2":"b"}}})",
    R"({"jsonrpc":"2.0","id":12,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},"argument":{"name":"arg1","value":"t"},"context":{"arguments":{}}}})",
    R"({"jsonrpc":"2.0","id":13,"method":"logging/setLevel","params":{"level":"info"}})",
    R"({"jsonrpc":"2.0","id":14,"method":"no/such/method","params":{}})"};

Json nested(std::size_t depth) {
  Json inner = 1;
  for (std::size_t i = 0; i < depth; ++i)
    inner = i % 2 == 0 ? Json::array({std::move(inner)}) : Json{{"a", std::move(inner)}};
  return inner;
}

}  // namespace

std::size_t StrangeMessages::below(std::size_t bound) {
  return static_cast<std::size_t>(random_() % bound);
}

Json StrangeMessages::anything() {
  switch (below(14)) {
    case 0: return nullptr;
    case 1: return true;
    case 2: return -1;
    case 3: return 1.5;
    case 4: return 9'223'372'036'854'775'807;
    case 5: return "";
    case 6: return "2026-07-28";
    case 7: return "2025-03-26";
    case 8: return std::string(2000, 'x');
    case 9: return std::string("\0\n\"\\\x7f\xf0\x9f\x98\x80", 9);
    case 10: return Json::array();
    case 11: return Json::array({1, "a", nullptr, Json::object()});
    case 12: return Json::object();
    default: return nested(below(80));
  }
}

void StrangeMessages::spoil(Json& node) {
  const bool has_members = node.is_structured() && !node.empty();
  if (has_members && !once_in(3)) {
    spoil(*std::next(node.begin(), static_cast<std::ptrdiff_t>(below(node.size()))));
  } else if (has_members && once_in(2)) {
    node.erase(std::next(node.begin(), static_cast<std::ptrdiff_t>(below(node.size()))));
  } else if (node.is_object() && once_in(2)) {
    node["x" + std::to_string(below(100))] = anything();
  } else {
    node = anything();
  }
}

Json StrangeMessages::message() {
  Json message = Json::parse(good[below(good.size())]);
  if (message.contains("params") && once_in(2))
    message["params"]["_meta"] = Json::parse(modern_meta);
  for (std::size_t left = below(4); left > 0; --left)
    spoil(message);
  if (once_in(20)) message = Json::array({message, message, anything()});
  return message;
}

void StrangeMessages::spoil_bytes(std::string& text) {
  const std::size_t at = below(text.size());
  switch (below(5)) {
    case 0: text.resize(at); break;
    case 1: text.erase(at, 1 + below(8)); break;
    case 2: text[at] = static_cast<char>(below(256)); break;
    case 3: text.insert(at, text.substr(below(text.size()), 1 + below(40))); break;
    default: text.insert(at, below(200), "[{\"-0"[below(5)]); break;
  }
  std::erase(text, '\n');  // a line is a message
}

std::string StrangeMessages::text() {
  std::string text = to_text(message());
  if (once_in(3)) spoil_bytes(text);
  return text;
}

StrangeMessages::Headers StrangeMessages::headers(const Json& message) {
  const Json* params = find(message, "params");
  const Json* meta = params == nullptr ? nullptr : find(*params, "_meta");
  Headers headers{{"Mcp-Method", text_of(message, "method")}};
  if (meta != nullptr) headers.emplace_back("MCP-Protocol-Version", "2026-07-28");
  if (params != nullptr) {
    for (const char* key : {"name", "uri"}) {
      const std::string name = text_of(*params, key);
      if (!name.empty()) headers.emplace_back("Mcp-Name", name);
    }
  }
  constexpr std::array<const char*, 6> lies = {
      "2025-06-18", "v999", "", "=?base64?!!?=", "tools/call", "\xff"};
  if (once_in(3) && !headers.empty()) headers.erase(headers.begin());
  if (once_in(4) && !headers.empty()) headers.push_back(headers.front());
  if (once_in(4) && !headers.empty()) headers.back().second = lies[below(lies.size())];
  if (once_in(8)) headers.emplace_back("Mcp-Session-Id", "nobody");
  return headers;
}

}  // namespace notesdb::mcp
