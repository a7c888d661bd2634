// JSON-RPC as MCP uses it: one message, and the texts that answer it.
//
//   {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{...}}      a request
//   {"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}   a notification
//   {"jsonrpc":"2.0","id":"ask-1","result":{...}}                      a response to our question
//
// An id is a string or a whole number, never null; an error whose id could not be read has none.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "mcp/json.h"

namespace notesdb::mcp {

enum class RpcCode {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  resource_not_found = -32002,  // until 2025-11-25; later invalid_params
  header_mismatch = -32020,
  missing_client_capability = -32021,
  unsupported_protocol_version = -32022,
};

// A failure of the protocol, not of a tool's work. `http_status` is what it is on HTTP.
struct RpcError {
  RpcCode code = RpcCode::internal_error;
  std::string message;
  Json data = nullptr;  // null: none
  int http_status = 200;
};

// T, or the RpcError that says why there is none.
template <typename T>
class [[nodiscard]] RpcResult {
 public:
  // NOLINTBEGIN(google-explicit-constructor): `return value;` and `return error;` both read well.
  RpcResult(T value) : data_(std::in_place_index<0>, std::move(value)) {}
  RpcResult(RpcError error) : data_(std::in_place_index<1>, std::move(error)) {}
  // NOLINTEND(google-explicit-constructor)

  explicit operator bool() const { return data_.index() == 0; }
  T& operator*() & { return std::get<0>(data_); }
  const T& operator*() const& { return std::get<0>(data_); }
  T&& operator*() && { return std::get<0>(std::move(data_)); }
  T* operator->() { return &std::get<0>(data_); }
  const T* operator->() const { return &std::get<0>(data_); }
  const RpcError& error() const { return std::get<1>(data_); }

 private:
  std::variant<T, RpcError> data_;
};

enum class MessageKind { request, notification, response };

struct Message {
  MessageKind kind = MessageKind::request;
  Json id = nullptr;             // null for a notification
  std::string method;            // empty for a response
  Json params = Json::object();  // always an object; absent and null are an empty one
  Json result = nullptr;         // of a response
  Json error = nullptr;          // of a response
};

// The message that a JSON value is; invalid_request or invalid_params if it is none.
RpcResult<Message> read_message(Json json);
// The id of something that is no message, if it can be told; else null.
Json id_of(const Json& json);

// What a method answers: members of the result object, and further ones that are JSON text already
// ("\"a\":1,\"b\":2"), so that a long answer is never taken apart and put together again.
struct ResultMembers {
  Json members = Json::object();
  std::string written;
};

std::string result_text(const Json& id, const ResultMembers& result);
std::string error_text(const Json& id, const RpcError& error);
std::string request_text(const Json& id, const std::string& method, const Json& params);
std::string notification_text(const std::string& method, const Json& params);

}  // namespace notesdb::mcp
