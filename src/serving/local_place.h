// Local place: where the server of a workspace listens for commands of the same user.
//
//   $XDG_RUNTIME_DIR/notesdb/<device>-<inode of the root>      without that variable:
//   /tmp/notesdb-UID/...
//
// The folder belongs to the user alone (0700), or it is not used: whoever could put a socket there
// could answer in the server's name. Both sides also ask the kernel who the other one is.
#pragma once

#include <optional>
#include <string>

#include "database/settings.h"
#include "files/descriptor.h"

namespace notesdb {

enum class PlaceFolder { make, find };

// The path of the socket of the workspace with this root. Empty where the root is not a folder, where
// the folder of sockets is not ours alone, or where the path is too long for a socket.
std::optional<std::string> local_place(const std::string& root,
                                       const Environment& environment,
                                       PlaceFolder folder);

// A socket that listens for commands, and where; empty where there is none.
struct LocalSocket {
  Descriptor listening;
  std::string place;
};
// Makes the socket of a workspace. None where another server has it, or where it cannot be made. To
// be called before a server gives up its files; afterwards the socket's name can stay after, which
// costs nothing: nobody answers there, and the next server takes its place.
LocalSocket listen_for_commands(const std::string& root, const Environment& environment);
// A connection to the server there; empty where there is none, or it is another user's.
Descriptor connect_to(const std::string& place);

// Whether the process at the other end belongs to the user of this one.
bool is_own_user(int socket);
// How long reading from and writing to a socket may take.
void limit_waiting(int socket, int milliseconds);

}  // namespace notesdb
