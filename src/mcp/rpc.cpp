#include "mcp/rpc.h"

namespace notesdb::mcp {
namespace {

constexpr std::size_t longest_id = 1024;
constexpr std::size_t longest_method = 256;

bool is_id(const Json& json) {
  if (json.is_string()) return json.get_ref<const std::string&>().size() <= longest_id;
  return json.is_number_integer();
}

RpcError not_a_message(std::string why) {
  return {RpcCode::invalid_request, "Invalid request: " + std::move(why), nullptr, 400};
}

RpcResult<Message> read_response(Message message, Json& json) {
  const Json* result = find(json, "result");
  const Json* error = find(json, "error");
  if ((result == nullptr) == (error == nullptr)) {
    return not_a_message("neither a method nor exactly one of result and error");
  }
  message.kind = MessageKind::response;
  if (result != nullptr) message.result = *result;
  if (error != nullptr) message.error = *error;
  return message;
}

}  // namespace

Json id_of(const Json& json) {
  const Json* id = find(json, "id");
  return id != nullptr && is_id(*id) ? *id : Json(nullptr);
}

RpcResult<Message> read_message(Json json) {
  if (!json.is_object()) return not_a_message("a message is an object");
  if (text_of(json, "jsonrpc") != "2.0") return not_a_message("jsonrpc must be \"2.0\"");
  const Json* id = find(json, "id");
  if (id != nullptr && !is_id(*id)) {
    return not_a_message("an id is a string of at most 1024 bytes or a whole number");
  }
  Message message;
  if (id != nullptr) message.id = *id;
  const Json* method = find(json, "method");
  if (method == nullptr) {
    if (id == nullptr && find(json, "error") == nullptr) return not_a_message("no method");
    return read_response(std::move(message), json);
  }
  if (!method->is_string() || method->get_ref<const std::string&>().size() > longest_method) {
    return not_a_message("a method is a string of at most 256 bytes");
  }
  message.kind = id == nullptr ? MessageKind::notification : MessageKind::request;
  message.method = method->get<std::string>();
  if (const auto params = json.find("params"); params != json.end() && !params->is_null()) {
    if (!params->is_object()) {
      return RpcError{RpcCode::invalid_params, "params must be an object", nullptr, 400};
    }
    message.params = std::move(*params);
  }
  return message;
}

std::string result_text(const Json& id, const ResultMembers& result) {
  const std::string members = result.members.empty() ? "{}" : to_text(result.members);
  std::string text = R"({"jsonrpc":"2.0","id":)" + to_text(id) + R"(,"result":{)";
  text.reserve(text.size() + members.size() + result.written.size() + 2);  // it may be long
  text += result.written;
  if (!result.written.empty() && !result.members.empty()) text += ',';
  text.append(members, 1, members.size() - 2);
  text += "}}";
  return text;
}

std::string error_text(const Json& id, const RpcError& error) {
  Json message{{"jsonrpc", "2.0"}};
  if (!id.is_null()) message["id"] = id;
  message["error"] = {{"code", static_cast<int>(error.code)}, {"message", error.message}};
  if (!error.data.is_null()) message["error"]["data"] = error.data;
  return to_text(message);
}

std::string request_text(const Json& id, const std::string& method, const Json& params) {
  return to_text({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
}

std::string notification_text(const std::string& method, const Json& params) {
  return to_text({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

}  // namespace notesdb::mcp
