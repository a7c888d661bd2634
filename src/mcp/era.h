// Era: which of the two protocols a message belongs to, decided message by message: by what it claims in its body, with
// the HTTP headers as a cross-check. A server is never pinned to an era by what came before.
//
//   claim (params._meta protocolVersion)   HTTP header            era
//   2026-07-28, _meta complete             the same               modern
//   anything else                          -                      an error that says what is served
//   none, `initialize`                     any                    legacy, the handshake
//   none                                   absent or a legacy one legacy
//   none                                   2026-07-28, unknown    an error
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "mcp/http_headers.h"
#include "mcp/rpc.h"

namespace notesdb::mcp {

// A revision is a dated version of the protocol, such as "2025-11-25". The revisions up to 2025-11-25 (legacy) agree on one by a handshake. From 2026-07-28 on (modern)
// every request names its own. Dates compare as texts.

enum class Era { legacy, modern };

inline constexpr std::string_view modern_revision = "2026-07-28";
inline constexpr std::string_view newest_legacy_revision = "2025-11-25";
inline constexpr std::array<std::string_view, 4> legacy_revisions = {
    "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};

// What a request over HTTP speaks that names no revision and belongs to no session.
inline constexpr std::string_view assumed_http_revision = "2025-03-26";

constexpr bool is_legacy(std::string_view revision) {
  for (const std::string_view known : legacy_revisions) {
    if (known == revision) return true;
  }
  return false;
}

constexpr bool has_batches(std::string_view revision) {
  return revision == "2025-03-26";
}
constexpr bool has_annotations(std::string_view revision) {
  return revision >= "2025-03-26";
}
constexpr bool has_audio(std::string_view revision) {
  return revision >= "2025-03-26";
}
// Structured results, their schemas, titles, resource links, questions to the user.
constexpr bool has_structure(std::string_view revision) {
  return revision >= "2025-06-18";
}
constexpr bool has_icons(std::string_view revision) {
  return revision >= "2025-11-25";
}

struct Classified {
  Era era = Era::legacy;
  std::string revision;
};

// `negotiated` is the session's legacy revision, or empty; `http` is null on stdio.
RpcResult<Classified> classify(const Message& message,
                               const std::string& negotiated,
                               const HttpHeaders* http);

// Whether an array of messages may come here: 2025-03-26 alone knew batches.
bool accepts_batch(const std::string& negotiated, const HttpHeaders* http);

// The member of a request's `_meta` in the protocol's own name space; null pointer if none.
const Json* protocol_meta(const Json& params, const std::string& name);

}  // namespace notesdb::mcp
