#include "mcp/methods.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

namespace notesdb::mcp {
namespace {

bool always(const Server& /*server*/) {
  return true;
}
bool has_tools(const Server& server) {
  return !server.tools().empty();
}
bool has_prompts(const Server& server) {
  return !server.prompts().empty();
}
bool has_resources(const Server& server) {
  return server.resources() != nullptr;
}
bool has_completion(const Server& server) {
  return static_cast<bool>(server.completion());
}
bool has_logging(const Server& server) {
  return server.options().logging;
}
bool has_changes(const Server& server) {
  return has_resources(server) && static_cast<bool>(server.resources()->watch);
}

// The lists of tools and prompts are fixed for the life of a server; what is read is never kept.
constexpr Caching an_hour{3'600'000, "public"};
constexpr Caching a_moment{5'000, "private"};
constexpr Caching not_at_all{0, "private"};

constexpr std::array<Method, 15> methods = {{
    {"initialize", true, false, true, always, initialize, {}},
    {"ping", true, false, true, always, ping, {}},
    {"logging/setLevel", true, false, true, has_logging, set_log_level, {}},
    {"server/discover", false, true, true, always, discover, an_hour},
    {"tools/list", true, true, false, has_tools, list_tools, an_hour},
    {"tools/call", true, true, false, has_tools, call_tool, {}},
    {"resources/list", true, true, false, has_resources, list_resources, a_moment},
    {"resources/templates/list",
     true,
     true,
     false,
     has_resources,
     list_resource_templates,
     an_hour},
    {"resources/read", true, true, false, has_resources, read_resource, not_at_all},
    {"resources/subscribe", true, false, false, has_changes, subscribe_resource, {}},
    {"resources/unsubscribe", true, false, false, has_changes, unsubscribe_resource, {}},
    {"subscriptions/listen", false, true, false, has_changes, listen, {}},
    {"prompts/list", true, true, false, has_prompts, list_prompts, an_hour},
    {"prompts/get", true, true, false, has_prompts, get_prompt, {}},
    {"completion/complete", true, true, false, has_completion, complete_argument, {}},
}};

void add_modern_members(const Server& server, const Caching& caching, Json& members) {
  const bool complete = !members.contains("resultType");
  if (complete) members["resultType"] = "complete";
  if (complete && caching.ttl_ms >= 0) {
    members["ttlMs"] = caching.ttl_ms;
    members["cacheScope"] = std::string(caching.scope);
  }
  members["_meta"]["io.modelcontextprotocol/serverInfo"] = server_info(server, modern_revision);
}

RpcResult<ResultMembers> run_guarded(const Method& method, Server& server, Call& call) {
  try {
    return method.run(server, call);
  } catch (const std::bad_alloc&) {
    throw;  // an answer that says so needs memory too: when the call has given back its own
  } catch (const std::exception&) {
    // Its text may hold paths or rows, which are not the client's business.
    return RpcError{RpcCode::internal_error, "Internal error in " + call.message().method};
  }
}

}  // namespace

const Method* find_method(const Server& server, std::string_view name, Era era) {
  const auto* const it = std::find_if(methods.begin(), methods.end(), [&](const Method& method) {
    const bool of_era = era == Era::modern ? method.modern : method.legacy;
    return of_era && method.name == name;
  });
  return it != methods.end() && it->offered(server) ? &*it : nullptr;
}

RpcError unknown_method(const std::string& name, Era era) {
  return {RpcCode::method_not_found,
          "Method not found: " + name,
          nullptr,
          era == Era::modern ? 404 : 200};
}

RpcResult<ResultMembers> answer(Server& server, Call& call) {
  const Era era = call.caller().era;
  const Method* method = find_method(server, call.message().method, era);
  if (method == nullptr) return unknown_method(call.message().method, era);
  RpcResult<ResultMembers> result = run_guarded(*method, server, call);
  if (result && era == Era::modern && !result->members.is_null()) {
    add_modern_members(server, method->caching, result->members);
  }
  return result;
}

std::optional<RpcError> check_capabilities(const std::vector<std::string>& needed,
                                           const Json& declared) {
  Json missing = Json::object();
  for (const std::string& capability : needed) {
    if (!declared.contains(capability)) missing[capability] = Json::object();
  }
  if (missing.empty()) return std::nullopt;
  return RpcError{RpcCode::missing_client_capability,
                  "Missing required client capability: " + missing.begin().key(),
                  {{"requiredCapabilities", missing}},
                  400};
}

RpcError invalid_params(std::string why, Json data) {
  return {RpcCode::invalid_params, std::move(why), std::move(data), 200};
}

ResultMembers end_of_stream(const Server& server, const Json& id) {
  ResultMembers result;
  result.members["_meta"] = {{"io.modelcontextprotocol/subscriptionId", id}};
  add_modern_members(server, {}, result.members);
  return result;
}

}  // namespace notesdb::mcp
