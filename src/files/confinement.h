// Confinement: what a server gives up before it serves. Should somebody take it over, the kernel
// still keeps it from every file that it was not meant to touch.
//
// It is Landlock, needs no privilege, cannot be taken back, and holds for the calling thread and
// for all threads and programs that it starts from then on: it comes before the first of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace notesdb {

// Which version of Landlock the kernel offers; 0 where there is none.
int landlock_version();

// The first version that lets a file be moved between folders, which the write protocol does.
inline constexpr int least_landlock_version = 2;

// The first that keeps a process from the network (TCP), and the first that keeps it from abstract
// sockets of other processes and from sending them signals. An older kernel does without.
inline constexpr int first_landlock_with_network = 4;
inline constexpr int first_landlock_with_scopes = 6;

// Files and folders with all that is in them. What does not exist is passed over. No connection is
// made to anywhere, and a port is listened on only if it is named here; 0 is any that is free.
struct Confines {
  std::vector<std::string> changeable;
  std::vector<std::string> readable;  // and programs there may be run
  std::optional<std::uint16_t> port = {};
};

// Whether it is in force now. Where the kernel cannot, nothing has changed.
bool confine_to(const Confines& confines);

}  // namespace notesdb
