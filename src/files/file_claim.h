// FileClaim: a row's file while we replace, remove or rename it: opened, known to hold the bytes that
// were expected, and with a read lease where the system has leases.
//
// A claim cannot keep another program from changing the file; it tells afterwards whether one did.
// exchange_claimed and move_claimed act first and then look at what came out, and put it back if it
// is not what was claimed. What they cannot put back because the place is taken again is set aside
// beside the row as "row (conflict 2026-01-31 090500 k3f9).md": nobody's save is ever dropped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "files/descriptor.h"

namespace notesdb {

// Gives `to` the mode, owner, group, user attributes and access list of `from`. What the system
// refuses is left, and said in `notes`.
void carry_attributes(int from, int to, std::vector<std::string>& notes);
// The same for a caller that has looked at both files, and left `to` as it was then.
void carry_attributes(int from,
                      const struct stat& old,
                      int to,
                      const struct stat& fresh,
                      std::vector<std::string>& notes);

// Gives a new file the group that its folder hands down (setgid folders), where that applies.
void inherit_group(int folder, int file);

// A name in an open folder.
struct Place {
  int folder = -1;
  std::string name;
  std::uint64_t device = 0;  // of the folder, where somebody asks
};

enum class GripState {
  held,
  being_written,  // another program has it open for writing, or keeps changing it
  changed,        // it holds other bytes than expected; `etag` says which
  gone,
  not_regular,
  failed,  // `error` says why
};

struct FileClaim {
  GripState state = GripState::failed;
  int error = 0;
  Descriptor file;
  StatKey key;
  Etag etag;
  bool leased = false;
};

FileClaim take_claim(const Place& place, Etag expected);

// How an exchange or a move ended. Unless it is done, the row is as it was or as others made it.
enum class Moved {
  done,
  disturbed,  // another program came between
  gone,       // the row was removed before we acted
  taken,      // the new name exists
  failed,     // `error` says why
};

struct Move {
  Moved state = Moved::done;
  int error = 0;
};

// The new bytes, ready in a file of their own.
struct Ready {
  Place place;
  StatKey key;
  Etag etag;
};

// Puts `ready` in the row's place; the row's version is then where `ready` was. Where the file
// system cannot exchange, the row is kept by a link (or a copy) and renamed over: a save between
// look and rename would be lost there, and `notes` says so.
Move exchange_claimed(const FileClaim& claim,
                      const Place& row,
                      const Ready& ready,
                      std::vector<std::string>& notes);

// Moves the row to a free name.
Move move_claimed(const FileClaim& claim,
                  const Place& row,
                  const Place& target,
                  std::vector<std::string>& notes);

// The same, where the new name may be the old one in other case: on a file system that folds names
// it goes through a third name.
Move rename_claimed(const FileClaim& claim,
                    const Place& row,
                    const Place& target,
                    std::vector<std::string>& notes);

// Moves a file that somebody may still want to a name of its own beside `row`, and says so in
// `notes`. Whether it found one.
bool set_aside(const Place& from, const Place& row, std::vector<std::string>& notes);

}  // namespace notesdb
