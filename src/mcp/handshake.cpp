// How a client learns what it talks to: the legacy handshake, and discovery in the modern era.
#include <algorithm>

#include "mcp/methods.h"

namespace notesdb::mcp {
namespace {

// Only what is served. Changes of the lists of tools and prompts are not offered: they are fixed.
Json capabilities(const Server& server, const Caller& caller) {
  const Era era = caller.era;
  Json result = Json::object();
  if (!server.tools().empty()) result["tools"] = Json::object();
  if (const Resources* resources = server.resources()) {
    result["resources"] = Json::object();
    // A legacy client over HTTP has no stream on which it could be told of a change.
    const bool can_be_told = era == Era::modern || caller.has_own_stream;
    if (resources->watch && can_be_told) result["resources"]["subscribe"] = true;
    // A legacy client would be told unasked, which would mean to watch for every one of them.
    if (resources->watch && era == Era::modern) result["resources"]["listChanged"] = true;
  }
  if (!server.prompts().empty()) result["prompts"] = Json::object();
  if (server.completion()) result["completions"] = Json::object();
  if (server.options().logging && era == Era::legacy) result["logging"] = Json::object();
  return result;
}

}  // namespace

Json server_info(const Server& server, std::string_view revision) {
  const ServerInfo& info = server.options().info;
  Json result{{"name", info.name}};
  if (has_structure(revision) && !info.title.empty()) result["title"] = info.title;
  result["version"] = info.version;
  if (has_icons(revision) && !info.description.empty()) result["description"] = info.description;
  return result;
}

RpcResult<ResultMembers> initialize(Server& server, Call& call) {
  const std::string asked = text_of(call.params(), "protocolVersion");
  const std::string revision = is_legacy(asked) ? asked : std::string(newest_legacy_revision);
  const Json* declared = find(call.params(), "capabilities");
  const bool usable = declared != nullptr && declared->is_object();
  call.session().negotiate(revision, usable ? *declared : Json::object());
  ResultMembers result;
  result.members = {{"protocolVersion", revision},
                    {"capabilities", capabilities(server, call.caller())},
                    {"serverInfo", server_info(server, revision)}};
  const std::string& instructions = server.options().instructions;
  if (!instructions.empty()) result.members["instructions"] = instructions;
  return result;
}

RpcResult<ResultMembers> discover(Server& server, Call& call) {
  ResultMembers result;
  result.members = {{"supportedVersions", Json::array({std::string(modern_revision)})},
                    {"capabilities", capabilities(server, call.caller())}};
  const std::string& instructions = server.options().instructions;
  if (!instructions.empty()) result.members["instructions"] = instructions;
  return result;
}

RpcResult<ResultMembers> ping(Server& /*server*/, Call& /*call*/) {
  return ResultMembers{};
}

RpcResult<ResultMembers> set_log_level(Server& /*server*/, Call& call) {
  const std::string level = text_of(call.params(), "level");
  if (!is_log_level(level)) return invalid_params("Unknown log level");
  call.session().set_log_level(level);
  return ResultMembers{};
}

}  // namespace notesdb::mcp
