#include "serving/local_place.h"

#include <cstring>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace notesdb {
namespace {

bool is_ours_alone(const std::string& folder) {
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0) return false;
  return S_ISDIR(found.st_mode) && found.st_uid == ::geteuid() && (found.st_mode & 077) == 0;
}

std::string folder_of_sockets(const Environment& environment) {
  const auto runtime = environment("XDG_RUNTIME_DIR");
  if (runtime && runtime->starts_with('/')) return *runtime + "/notesdb";
  return "/tmp/notesdb-" + std::to_string(::geteuid());
}

std::optional<sockaddr_un> address_of(const std::string& place) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (place.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, place.c_str(), place.size() + 1);
  return address;
}

Descriptor new_socket() {
  return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

// A connection without a look at who answers.
Descriptor dial(const std::string& place) {
  const auto address = address_of(place);
  Descriptor socket = new_socket();
  if (!address || !socket) return {};
  constexpr int longest_wait = 500;  // a stopped server must not stop commands
  limit_waiting(socket.get(), longest_wait);
  const auto* general = reinterpret_cast<const sockaddr*>(&*address);
  if (::connect(socket.get(), general, sizeof *address) != 0) return {};
  return socket;
}

}  // namespace

std::optional<std::string> local_place(const std::string& root,
                                       const Environment& environment,
                                       PlaceFolder folder) {
  struct stat found {};
  if (::stat(root.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return std::nullopt;
  const std::string sockets = folder_of_sockets(environment);
  if (folder == PlaceFolder::make) ::mkdir(sockets.c_str(), 0700);
  if (!is_ours_alone(sockets)) return std::nullopt;
  std::string place =
      sockets + "/" + std::to_string(found.st_dev) + "-" + std::to_string(found.st_ino);
  if (!address_of(place)) return std::nullopt;
  return place;
}

LocalSocket listen_for_commands(const std::string& root, const Environment& environment) {
  const auto found = local_place(root, environment, PlaceFolder::make);
  if (!found || dial(*found)) return {};
  const std::string& place = *found;
  const auto address = address_of(place);
  Descriptor socket = new_socket();
  if (!socket) return {};
  ::unlink(place.c_str());  // of a server that is gone
  // The folder keeps everybody else out from the first moment; the mode says so too.
  const auto* general = reinterpret_cast<const sockaddr*>(&*address);
  if (::bind(socket.get(), general, sizeof *address) != 0) return {};
  constexpr int waiting = 64;
  if (::chmod(place.c_str(), 0600) != 0 || ::listen(socket.get(), waiting) != 0) {
    ::unlink(place.c_str());
    return {};
  }
  return {std::move(socket), place};
}

Descriptor connect_to(const std::string& place) {
  Descriptor socket = dial(place);
  if (!socket || !is_own_user(socket.get())) return {};
  return socket;
}

bool is_own_user(int socket) {
  ucred other{};
  socklen_t length = sizeof other;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &length) != 0) return false;
  return other.uid == ::geteuid();
}

void limit_waiting(int socket, int milliseconds) {
  const timeval limit{milliseconds / 1000, milliseconds % 1000 * 1000};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

}  // namespace notesdb
