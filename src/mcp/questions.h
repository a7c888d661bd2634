// Questions to a client in the middle of a call, in both eras with one kind of handler.
//
// A modern call ends with the questions and comes again with the answers. A legacy client is asked
// over the wire while its call waits, and the handler then runs again with what it said.
#pragma once

#include <optional>

#include "mcp/server.h"

namespace notesdb::mcp {

// Takes the answers and the sealed state that a modern request brings. invalid_params if they are
// malformed, or the state was not sealed for this request.
std::optional<RpcError> take_answers(const Server& server, Call& call);

// The modern result that asks; the error if the client did not say that it can answer.
RpcResult<ResultMembers> questions_result(const Server& server,
                                          const Call& call,
                                          const Questions& questions);

// Asks a legacy client and adds its answers to the call. False if it cannot be asked or the call
// was cancelled meanwhile. An elicitation that fails is answered with {"action":"cancel"}.
bool ask_legacy_client(Call& call, const Questions& questions);

// Runs a handler until it asks no more; `Result` has `questions`. Empty if the client that must be
// asked cannot be. A modern call runs once: its client brings the answers.
template <typename Handler, typename Arguments>
auto run_asking(const Handler& handler, const Arguments& arguments, Call& call)
    -> std::optional<decltype(handler(arguments, call))> {
  constexpr int max_rounds = 16;
  for (int round = 0; round < max_rounds; ++round) {
    auto result = handler(arguments, call);
    if (!result.questions || call.caller().era == Era::modern) return result;
    if (!ask_legacy_client(call, *result.questions)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace notesdb::mcp
