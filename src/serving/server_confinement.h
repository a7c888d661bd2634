// Server confinement: which files a server needs: the workspace, what is remembered about it, and
// what the user's git reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "database/settings.h"

namespace notesdb {

// Gives up every other file of this machine, but for `also_readable`, and the network but for
// listening on `port`, where the kernel can (files/confinement.h). To be called before the
// workspace is opened and before the first thread.
void confine_server(const Settings& settings,
                    const std::vector<std::string>& also_readable,
                    std::optional<std::uint16_t> port);

}  // namespace notesdb
