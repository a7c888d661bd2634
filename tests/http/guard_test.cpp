#include "http/guard.h"

#include <new>
#include <string>
#include <thread>

#include <catch2/catch.hpp>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace notesdb;

namespace {

// A server on a port of its own, for the time of a test.
class Served {
 public:
  explicit Served(http::Handler handler)
      : guard_({}, std::move(handler)), port_(guard_.bind("127.0.0.1", 0)), thread_([this] {
          http::Rules rules;
          rules.port = port_;
          guard_.serve(rules);
        }) {}
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;
  ~Served() {
    guard_.stop();
    thread_.join();
  }

  // All that one connection is told.
  std::string ask() const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    const std::string request = "GET /health HTTP/1.1\r\nHost: localhost:" + std::to_string(port_) +
                                "\r\nConnection: close\r\n\r\n";
    REQUIRE(::send(socket, request.data(), request.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(request.size()));
    std::string told;
    char bytes[1024];
    for (ssize_t count = 0; (count = ::recv(socket, bytes, sizeof bytes, 0)) > 0;)
      told.append(bytes, static_cast<std::size_t>(count));
    ::close(socket);
    return told;
  }

 private:
  http::Guard guard_;
  int port_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("want of memory is answered by 503, and the next request as ever", "[http]") {
  bool wants = true;
  const Served served([&](const http::Request&, const auto&) {
    if (std::exchange(wants, false)) throw std::bad_alloc();
    return http::Answer{200, "text/plain", "here\n", {}, {}};
  });
  CHECK(served.ask().starts_with("HTTP/1.1 503 "));
  const std::string told = served.ask();
  CHECK(told.starts_with("HTTP/1.1 200 "));
  CHECK(told.ends_with("\r\n\r\nhere\n"));
}
