#include "http/connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <poll.h>
#include <sys/socket.h>

namespace notesdb::http {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t worth_sending = std::size_t{64} << 10;

int left_ms(Clock::time_point until) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
  return static_cast<int>(std::max<long long>(left, 0));
}

Clock::time_point in_ms(int ms) {
  return Clock::now() + std::chrono::milliseconds(ms);
}

}  // namespace

Connection::Connection(int socket, int stop, const Limits& limits)
    : socket_(socket), stop_(stop), limits_(limits) {}

Connection::Arrived Connection::receive(std::size_t most, Clock::time_point until) {
  std::array<pollfd, 2> waiting = {{{socket_, POLLIN, 0}, {stop_, POLLIN, 0}}};
  const int ready = ::poll(waiting.data(), waiting.size(), left_ms(until));
  if (ready < 0 && errno == EINTR) return Arrived::some;
  if (ready <= 0) return Arrived::nothing;
  if (waiting[0].revents == 0) return Arrived::end;  // the server stops
  std::array<char, 8192> bytes{};
  const ssize_t count = ::recv(socket_, bytes.data(), std::min(bytes.size(), most), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Arrived::some;
  if (count <= 0) return Arrived::end;
  in_.append(bytes.data(), static_cast<std::size_t>(count));
  return Arrived::some;
}

std::variant<std::monostate, Request, Refusal> Connection::next_head() {
  auto until = in_ms(first_ ? limits_.head_ms : limits_.idle_ms);
  first_ = false;
  answered_ = false;
  bool begun = !in_.empty();
  std::size_t end = 0;
  while ((end = in_.find("\r\n\r\n")) == std::string::npos) {
    if (in_.size() >= limits_.head_bytes) {
      return Refusal{431, "Request Header Fields Too Large", {}};
    }
    const Arrived arrived = receive(limits_.head_bytes - in_.size(), until);
    if (arrived != Arrived::some) {
      if (in_.empty() || arrived == Arrived::end) return std::monostate{};
      return Refusal{408, "Request Timeout", {}};
    }
    if (!begun && !in_.empty()) {
      begun = true;
      until = in_ms(limits_.head_ms);
    }
  }
  auto head = read_head(std::string_view(in_).substr(0, end), limits_);
  in_.erase(0, end + 4);
  if (auto* refusal = std::get_if<Refusal>(&head)) return *refusal;
  return std::move(std::get<Request>(head));
}

bool Connection::read_body(Request& request) {
  const auto until = in_ms(limits_.body_ms);
  in_.reserve(request.body_bytes);  // growing step by step would hold it twice for a moment
  while (in_.size() < request.body_bytes) {
    if (receive(request.body_bytes - in_.size(), until) != Arrived::some) return false;
  }
  if (in_.size() == request.body_bytes) {
    request.body = std::exchange(in_, {});
    return true;
  }
  request.body = in_.substr(0, request.body_bytes);
  in_.erase(0, request.body_bytes);
  return true;
}

bool Connection::write(std::string_view bytes) {
  const bool at_once = stream_ || bytes.size() >= worth_sending;
  if (!at_once) {
    out_.append(bytes);
    return !broken_;
  }
  // An answer that is long is not copied: its head goes first, then the rest as it is.
  return flush() && send_all(bytes);
}

bool Connection::flush() {
  const bool sent = send_all(out_);
  out_.clear();
  return sent;
}

bool Connection::send_all(std::string_view bytes) {
  const auto until = in_ms(limits_.write_ms);
  while (!bytes.empty() && !broken_) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      answered_ = true;
      bytes.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    pollfd waiting{socket_, POLLOUT, 0};
    const int left = left_ms(until);
    broken_ = errno != EAGAIN || left == 0 || ::poll(&waiting, 1, left) <= 0;
  }
  return !broken_;
}

void Connection::become_stream() {
  stream_ = true;
  flush();
}

bool Connection::closed() {
  if (broken_) return true;
  pollfd waiting{socket_, POLLRDHUP, 0};
  if (::poll(&waiting, 1, 0) > 0) broken_ = true;
  return broken_;
}

void Connection::refuse(const Refusal& refusal, int patience_ms) {
  in_ = std::string();
  out_ = std::string();
  std::string text = "HTTP/1.1 " + std::to_string(refusal.status) + " ";
  text += refusal.reason;
  const std::string body = std::string(refusal.reason) + "\n";
  if (!refusal.allow.empty()) text += "\r\nAllow: " + std::string(refusal.allow);
  if (refusal.authenticate) text += "\r\nWWW-Authenticate: Bearer";
  text += "\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(body.size());
  text += "\r\nConnection: close\r\n\r\n" + body;
  write(text);
  flush();
  ::shutdown(socket_, SHUT_WR);
  in_.clear();
  for (int i = 0; i < 16 && receive(8192, in_ms(patience_ms)) == Arrived::some; ++i)
    in_.clear();
}

}  // namespace notesdb::http
