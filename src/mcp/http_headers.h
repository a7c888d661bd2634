// HttpHeaders: the headers of one request as the protocol needs them, and the checks by which a
// modern request's headers must say what its body says (proxies route by them).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mcp/rpc.h"

namespace notesdb::mcp {

class HttpHeaders {
 public:
  // The value is taken without the white space around it.
  void add(std::string_view name, std::string_view value);
  // The first value of that name, in any case; null pointer if there is none.
  const std::string* find(std::string_view name) const;
  std::size_t count(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> headers_;  // names in lower case
};

RpcError header_mismatch(std::string why);

// Mcp-Method and Mcp-Name against the body.
std::optional<RpcError> check_routing_headers(const Message& message, const HttpHeaders& headers);

// Mcp-Param-* against the arguments of a call, for the properties of the tool's input schema that
// are marked with x-mcp-header.
std::optional<RpcError> check_parameter_headers(const Json& input_schema,
                                                const Json& arguments,
                                                const HttpHeaders& headers);

}  // namespace notesdb::mcp
