// Confirmation: a person's yes before a call that destroys much.
//
// A client that can ask its user gets a question with Yes and No. Where nobody can be asked, the
// call must say what it is about to destroy, by the argument that the operation names. It never
// continues silently.
#pragma once

#include <optional>

#include "core/value.h"
#include "mcp/call.h"
#include "mcp/tool.h"
#include "operations/operation.h"

namespace notesdb {

// Empty: go on. Else the question to ask, or the refusal.
std::optional<mcp::ToolResult> confirm(const Operation& operation,
                                       const Value& arguments,
                                       Workspace& workspace,
                                       const mcp::Call& call);

}  // namespace notesdb
