// Undo answer: undo and redo, which differ in their direction.
#pragma once

#include "database/past.h"
#include "operations/operation.h"

namespace notesdb {

// Takes back the change that the argument `change` names; on the command line also how many of the
// next ones, which is one where it is absent. A dry run answers with the diff.
Result<Value> run_undo(const Call& call, PastDirection direction);

std::vector<ResultMember> undo_result();

}  // namespace notesdb
