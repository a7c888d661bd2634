// Methods: the table of what a client may ask, with the era in which it may, and the way from a
// request to the members of its result.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/call.h"
#include "mcp/rpc.h"
#include "mcp/server.h"

namespace notesdb::mcp {

// How long a client may keep a result, and for whom. A negative time: results that are not kept.
struct Caching {
  int ttl_ms = -1;
  std::string_view scope;
};

struct Method {
  std::string_view name;
  bool legacy = false;
  bool modern = false;
  // Answered while messages are still taken in order, since later ones may rely on it.
  bool at_once = false;
  bool (*offered)(const Server& server) = nullptr;
  RpcResult<ResultMembers> (*run)(Server& server, Call& call) = nullptr;
  Caching caching;
};

// Null pointer if this server does not offer it in this era.
const Method* find_method(const Server& server, std::string_view name, Era era);
RpcError unknown_method(const std::string& name, Era era);

// Runs the method of a call; what a handler throws becomes an internal error. Members that are null
// mean that the answer comes later.
RpcResult<ResultMembers> answer(Server& server, Call& call);

// The error for a client that lacks one of these capabilities, if it does.
std::optional<RpcError> check_capabilities(const std::vector<std::string>& needed,
                                           const Json& declared);

RpcError invalid_params(std::string why, Json data = nullptr);

// The last result of a subscription.
ResultMembers end_of_stream(const Server& server, const Json& id);

}  // namespace notesdb::mcp
