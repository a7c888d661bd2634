// Cache place: where what is remembered of files lies, and whether it may be used.
//
//   ~/.cache/notesdb/                    this user's caches
//   ~/.cache/notesdb/1f0c9d3a5b7e2468/   those of one workspace, named after its path
//
// Each workspace has a folder of its own, so that a server that is confined to one cannot read of
// another.
#pragma once

#include <string>

#include "database/settings.h"

namespace notesdb {

// $XDG_CACHE_HOME/notesdb, else ~/.cache/notesdb; empty where the environment names neither.
std::string cache_folder_of(const Environment& environment);

// Why the folder that is there is not used, as a sentence: it is a link, belongs to another user,
// or others may write there. Empty where it may be used, or is not there yet. One that others may
// only read is closed to them.
std::string cache_problem_of(const Environment& environment);

// The folder of one workspace, absolute; empty where nothing is to be remembered.
std::string cache_place(const Settings& settings);

}  // namespace notesdb
