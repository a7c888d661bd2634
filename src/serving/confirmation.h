// Confirmation: a person's yes before a call that destroys much.
//
// Every check of the call comes first, by a rehearsal of it, so that nobody is asked about what would
// fail anyway. Then the setting `confirm` says what stands before it: a question with Yes and No to
// the person at the client (ask), the number of rows that change as expect_count (expect_count), or
// nothing (never). Where nobody can be asked, or a host declines in its user's place, expect_count
// stands in for the yes. It never continues silently.
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
                                       const Context& context,
                                       const mcp::Call& call);

}  // namespace notesdb
