// The root of a workspace, found without reading any setting.
#pragma once

#include <optional>
#include <string>

#include "database/settings.h"

namespace notesdb {

// `--root`, else NOTESDB_ROOT, else the nearest folder at or above `current_folder` that holds
// notesdb.yaml, else `current_folder`. Relative ones are meant from `current_folder`. Whether one
// that was found may be used is for read_settings to say.
Setting<std::string> find_workspace_root(const std::optional<std::string>& root_flag,
                                         const Environment& environment,
                                         const std::string& current_folder);

}  // namespace notesdb
