// Writable path: which paths notesdb may write, move, make or remove, whoever asks for it.
//
//   check_writable_path("stories/first.md")      passes
//   check_writable_path(".git/hooks/x.md")       path_not_allowed
//
// Every change of a file passes here, from any origin: a call, an unfinished change that a crash
// left, an undo, a merge, an import. A row, a schema and notesdb.yaml pass; nothing else of a
// workspace is ours to change, however its name is written: a segment that another system would
// take for one with a leading dot (".g\u200cit", "GIT~1", a fullwidth dot) is refused as that one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "core/result.h"
#include "files/file_system.h"

namespace notesdb {

// Fails with path_not_allowed unless a file of this path may be a row, a schema or notesdb.yaml.
Result<void> check_writable_path(std::string_view path);

// The same for a folder that rows may lie in. "." is the root, which is not ours to make or remove.
Result<void> check_writable_folder(std::string_view path);

// The same for all that a step names, and check_new_name for a name that it adds. `new_path` is
// empty but for a rename.
Result<void> check_writable_step(StepKind kind, std::string_view path, std::string_view new_path);

// Takes from an open file every right to be run, and set-user-id with it: bytes that come out of
// the store never become a program. Answers with errno.
int forbid_running(int file);

// Whose a file or folder must be that this process comes upon, to decide what it does: its own
// user's or root's, with nobody else able to write there.
//
// What others may write is theirs, whoever made it. A group may write where the owner is this user:
// many systems make files so, with a group of one.
enum class Trusted {
  us_or_root,  // settings: an administrator may make them for all
  us_alone,    // caches: nobody else, no group, may write there
};

// What is wrong with it, to go on after its name ("belongs to another user (uid 1001)"); empty if
// nothing is.
std::optional<std::string> find_distrust(const struct stat& status, Trusted trusted);

}  // namespace notesdb
