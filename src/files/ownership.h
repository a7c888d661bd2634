// Ownership: whether a file or folder that this process comes upon was made by somebody who may
// decide what it does: its own user or root, with nobody else able to write there.
//
// What others may write is theirs, whoever made it. A group may write where the owner is this user:
// many systems make files so, with a group of one.
#pragma once

#include <optional>
#include <string>

#include <sys/stat.h>

namespace notesdb {

enum class Trusted {
  us_or_root,  // settings: an administrator may make them for all
  us_alone,    // caches: nobody else, no group, may write there
};

// What is wrong with it, to go on after its name ("belongs to another user (uid 1001)"); empty if
// nothing is.
std::optional<std::string> find_distrust(const struct stat& status, Trusted trusted);

}  // namespace notesdb
