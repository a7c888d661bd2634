// Which era a message belongs to, decided message by message: by what it claims in its body, with
// the HTTP headers as a cross-check. A server is never pinned to an era by what came before.
//
//   claim (params._meta protocolVersion)   HTTP header            era
//   2026-07-28, _meta complete             the same               modern
//   anything else                          -                      an error that says what is served
//   none, `initialize`                     any                    legacy, the handshake
//   none                                   absent or a legacy one legacy
//   none                                   2026-07-28, unknown    an error
#pragma once

#include <string>

#include "mcp/http_headers.h"
#include "mcp/revision.h"
#include "mcp/rpc.h"

namespace notesdb::mcp {

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
