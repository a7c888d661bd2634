#include "http/peer.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace notesdb::http {
namespace {

// One end of a connection. Addresses as the kernel holds them, in network order; an IPv4 address
// takes the first word.
struct End {
  std::array<std::uint32_t, 4> address{};
  std::uint16_t port = 0;  // in network order

  friend bool operator==(const End&, const End&) = default;
};

// Both ends as the other process sees them: its own first.
struct Ends {
  int family = AF_INET;
  End theirs;
  End ours;
};

std::optional<End> end_of(const sockaddr_storage& address) {
  End end;
  if (address.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    end.address[0] = v4.sin_addr.s_addr;
    end.port = v4.sin_port;
    return end;
  }
  if (address.ss_family != AF_INET6) return std::nullopt;
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof v6);
  std::memcpy(end.address.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
  end.port = v6.sin6_port;
  return end;
}

bool is_loopback_end(int family, const End& end) {
  constexpr std::uint32_t net_127 = 127;
  if (family == AF_INET) return (ntohl(end.address[0]) >> 24U) == net_127;
  return end.address == std::array<std::uint32_t, 4>{0, 0, 0, htonl(1)};
}

std::optional<Ends> ends_of(int socket) {
  sockaddr_storage theirs{};
  sockaddr_storage ours{};
  socklen_t theirs_size = sizeof theirs;
  socklen_t ours_size = sizeof ours;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&theirs), &theirs_size) != 0 ||
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &ours_size) != 0)
    return std::nullopt;
  const std::optional<End> their_end = end_of(theirs);
  const std::optional<End> our_end = end_of(ours);
  if (!their_end || !our_end || theirs.ss_family != ours.ss_family) return std::nullopt;
  return Ends{theirs.ss_family, *their_end, *our_end};
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

struct DiagRequest {
  nlmsghdr head;
  inet_diag_req_v2 body;
};

DiagRequest diag_request(const Ends& ends) {
  DiagRequest request{};
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.head.nlmsg_flags = NLM_F_REQUEST;
  request.body.sdiag_family = static_cast<std::uint8_t>(ends.family);
  request.body.sdiag_protocol = IPPROTO_TCP;
  request.body.idiag_states = ~0U;
  inet_diag_sockid& id = request.body.id;
  std::memcpy(id.idiag_src, ends.theirs.address.data(), sizeof id.idiag_src);
  std::memcpy(id.idiag_dst, ends.ours.address.data(), sizeof id.idiag_dst);
  id.idiag_sport = ends.theirs.port;
  id.idiag_dport = ends.ours.port;
  id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return request;
}

bool is_established(std::uint8_t state) {
  constexpr std::uint8_t established = 1;
  constexpr std::uint8_t fin_wait_1 = 4;
  constexpr std::uint8_t fin_wait_2 = 5;  // it has said all that it has to say
  return state == established || state == fin_wait_1 || state == fin_wait_2;
}

// Asks the kernel for the one socket that has these ends.
std::optional<uid_t> owner_by_diag(const Ends& ends) {
  const Descriptor diag(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (diag.get() < 0) return std::nullopt;
  const timeval patience{1, 0};
  ::setsockopt(diag.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const DiagRequest request = diag_request(ends);
  if (::send(diag.get(), &request, sizeof request, 0) != static_cast<ssize_t>(sizeof request))
    return std::nullopt;
  alignas(nlmsghdr) std::array<char, 4096> answer{};
  const ssize_t size = ::recv(diag.get(), answer.data(), answer.size(), 0);
  constexpr std::size_t least = NLMSG_HDRLEN + sizeof(inet_diag_msg);
  if (size < static_cast<ssize_t>(least)) return std::nullopt;
  nlmsghdr head{};
  std::memcpy(&head, answer.data(), sizeof head);
  if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
  inet_diag_msg found{};
  std::memcpy(&found, answer.data() + NLMSG_HDRLEN, sizeof found);
  if (found.id.idiag_sport != ends.theirs.port || found.id.idiag_dport != ends.ours.port ||
      !is_established(found.idiag_state))
    return std::nullopt;
  return found.idiag_uid;
}

// "0100007F:20E4" in the order in which /proc writes it: each word as this machine holds it.
std::string end_text(int family, const End& end) {
  std::string text;
  std::array<char, 16> part{};
  for (std::size_t i = 0; i < (family == AF_INET ? 1U : 4U); ++i) {
    std::snprintf(part.data(), part.size(), "%08X", end.address[i]);
    text += part.data();
  }
  std::snprintf(part.data(), part.size(), ":%04X", ntohs(end.port));
  return text + part.data();
}

// The line of a table of sockets: "  1: LOCAL REMOTE STATE TX:RX TR:WHEN RETRANSMITTED UID ...".
std::optional<uid_t> owner_in_line(const char* line,
                                   const std::string& local,
                                   const std::string& remote) {
  std::array<char, 64> first{};
  std::array<char, 64> second{};
  unsigned state = 0;
  unsigned uid = 0;
  const int read = std::sscanf(
      line, " %*u: %63s %63s %x %*s %*s %*s %u", first.data(), second.data(), &state, &uid);
  if (read != 4 || local != first.data() || remote != second.data()) return std::nullopt;
  if (!is_established(static_cast<std::uint8_t>(state))) return std::nullopt;
  return uid;
}

// The same out of /proc, where the kernel has no diagnosis of sockets.
std::optional<uid_t> owner_by_proc(const Ends& ends) {
  const char* path = ends.family == AF_INET ? "/proc/net/tcp" : "/proc/net/tcp6";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "re"), std::fclose);
  if (file == nullptr) return std::nullopt;
  const std::string local = end_text(ends.family, ends.theirs);
  const std::string remote = end_text(ends.family, ends.ours);
  std::array<char, 512> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), file.get()) != nullptr)
    if (const auto owner = owner_in_line(line.data(), local, remote)) return owner;
  return std::nullopt;
}

}  // namespace

bool is_own_user(int socket) {
  const std::optional<Ends> ends = ends_of(socket);
  if (!ends || !is_loopback_end(ends->family, ends->theirs)) return false;
  std::optional<uid_t> owner = owner_by_diag(*ends);
  if (!owner) owner = owner_by_proc(*ends);
  return owner == ::geteuid();
}

}  // namespace notesdb::http
