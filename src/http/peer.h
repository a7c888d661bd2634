// Peer: whose process is at the other end of a local connection, as the kernel tells it.
#pragma once

namespace notesdb::http {

// Whether the connection comes from this machine and from a process of the user that this one runs
// as. False where the kernel does not say so: what cannot be known is not taken for ours.
bool is_own_user(int socket);

}  // namespace notesdb::http
