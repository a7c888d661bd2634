#include "mcp/era.h"

namespace notesdb::mcp {

namespace {

constexpr const char* version_header = "MCP-Protocol-Version";

RpcError unsupported(const std::string& requested) {
  Json data{{"supported", Json::array({std::string(modern_revision)})}, {"requested", requested}};
  return {
      RpcCode::unsupported_protocol_version, "Unsupported protocol version", std::move(data), 400};
}

RpcError incomplete(const std::string& what) {
  return {RpcCode::invalid_params, "_meta must have io.modelcontextprotocol/" + what, nullptr, 400};
}

RpcResult<Classified> classify_claim(const Message& message,
                                     const Json& claim,
                                     const HttpHeaders* http) {
  if (!claim.is_string()) return incomplete("protocolVersion, a string");
  const std::string requested = claim.get<std::string>();
  if (http != nullptr && message.kind == MessageKind::request) {
    const std::string* header = http->find(version_header);
    if (header == nullptr) return header_mismatch("MCP-Protocol-Version is missing");
    if (*header != requested || http->count(version_header) > 1) {
      return header_mismatch("MCP-Protocol-Version does not say what the body says");
    }
  }
  const Json* capabilities = protocol_meta(message.params, "clientCapabilities");
  if (capabilities == nullptr || !capabilities->is_object()) {
    return incomplete("clientCapabilities, an object");
  }
  if (requested != modern_revision) return unsupported(requested);
  return Classified{Era::modern, requested};
}

RpcResult<Classified> classify_by_header(const Message& message, const std::string& header) {
  if (is_legacy(header)) return Classified{Era::legacy, header};
  if (header == modern_revision && message.kind != MessageKind::notification) {
    return incomplete("protocolVersion and clientCapabilities");
  }
  return unsupported(header);
}

}  // namespace

const Json* protocol_meta(const Json& params, const std::string& name) {
  const Json* meta = find(params, "_meta");
  if (meta == nullptr) return nullptr;
  return find(*meta, ("io.modelcontextprotocol/" + name).c_str());
}

RpcResult<Classified> classify(const Message& message,
                               const std::string& negotiated,
                               const HttpHeaders* http) {
  if (const Json* claim = protocol_meta(message.params, "protocolVersion")) {
    return classify_claim(message, *claim, http);
  }
  if (message.method == "initialize") {
    return Classified{Era::legacy, std::string(newest_legacy_revision)};
  }
  const std::string* header = http == nullptr ? nullptr : http->find(version_header);
  if (header != nullptr) return classify_by_header(message, *header);
  if (!negotiated.empty()) return Classified{Era::legacy, negotiated};
  return Classified{Era::legacy,
                    std::string(http == nullptr ? newest_legacy_revision : assumed_http_revision)};
}

bool accepts_batch(const std::string& negotiated, const HttpHeaders* http) {
  const std::string* header = http == nullptr ? nullptr : http->find(version_header);
  if (header != nullptr) return has_batches(*header);
  if (!negotiated.empty()) return has_batches(negotiated);
  return http != nullptr;
}

}  // namespace notesdb::mcp
