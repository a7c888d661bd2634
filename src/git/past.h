// Past: a workspace as it was at a revision or a date, to be asked like the one of today.
//
// The schema is that of then, and so are the rows and what relations lead to. A past workspace is
// read-only and never changes; the last few are kept, so that a server that is asked again has
// their tables in memory. Between two commands an index of their rows lies in the workspace's
// cache folder, in past/<commit>/, as one of today's rows does; it may be deleted at any moment.
#pragma once

#include <memory>
#include <string_view>

#include "core/result.h"
#include "database/workspace.h"

namespace notesdb {

// Fails with invalid_argument where nothing is known of that time, or where the workspace is in no
// git repository.
Result<std::shared_ptr<Workspace>> past_workspace(const Workspace& workspace,
                                                  std::string_view revision);

}  // namespace notesdb
