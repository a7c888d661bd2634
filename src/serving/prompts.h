// Prompts and completion of a workspace: conversations worth starting, and what may be typed where
// an id is asked for.
#pragma once

#include "database/workspace.h"
#include "mcp/server.h"

namespace notesdb {

// triage: go through what is open in a database; weekly_review: what changed and what is due;
// design_schema: a schema for something a person wants to keep.
void add_prompts(mcp::Server& server, Workspace& workspace);

// Completes database ids, row ids, column ids and options, from what was chosen before.
void add_completion(mcp::Server& server, Workspace& workspace);

}  // namespace notesdb
