#include "http/slots.h"

#include <array>
#include <optional>
#include <thread>

#include <catch2/catch.hpp>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace notesdb::http {
namespace {

// Both ends of a connection.
class Pair {
 public:
  Pair() { REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()) == 0); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  int ours() const { return ends_[0]; }
  bool is_shut() const {
    pollfd other{ends_[1], POLLRDHUP, 0};
    return ::poll(&other, 1, 0) > 0;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

Limits two_connections() {
  Limits limits;
  limits.connections = 2;
  limits.small_body_bytes = 10;
  limits.all_bodies_bytes = 100;
  limits.body_ms = 60'000;
  return limits;
}

// Somebody who came in and is looked after.
void come(Slots& slots) {
  REQUIRE(slots.enter());
  slots.arrive();
}

TEST_CASE("a newcomer takes the place of who has kept one waiting the longest", "[http]") {
  const Limits limits = two_connections();
  Slots slots(limits);
  const Pair first;
  const Pair second;
  come(slots);
  come(slots);
  const Slots::Wait one(slots, first.ours());
  const Slots::Wait other(slots, second.ours());
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  come(slots);
  CHECK(first.is_shut());
  CHECK_FALSE(second.is_shut());
}

TEST_CASE("a burst fills the bound twice before somebody is turned out for it", "[http]") {
  const Limits limits = two_connections();
  Slots slots(limits);
  const Pair first;
  come(slots);
  const Slots::Wait one(slots, first.ours());
  for (int i = 0; i < 3; ++i)
    REQUIRE(slots.enter());
  CHECK_FALSE(first.is_shut());
  CHECK(slots.enter());
  CHECK(first.is_shut());
  CHECK_FALSE(slots.enter());
}

TEST_CASE("nobody at work is turned out", "[http]") {
  const Limits limits = two_connections();
  Slots slots(limits);
  const Pair waited;
  come(slots);
  come(slots);
  { const Slots::Wait past(slots, waited.ours()); }
  CHECK_FALSE(slots.enter());
  CHECK_FALSE(waited.is_shut());
  slots.leave();
  CHECK(slots.enter());
}

TEST_CASE("streams have a bound of their own", "[http]") {
  Limits limits = two_connections();
  limits.streams = 1;
  Slots slots(limits);
  come(slots);
  come(slots);
  REQUIRE(slots.become_stream());
  come(slots);
  CHECK_FALSE(slots.become_stream());
  slots.end_stream();
  CHECK_FALSE(slots.enter());
}

TEST_CASE("large bodies share their room, and the slowest sender loses it", "[http]") {
  const Limits limits = two_connections();
  Slots slots(limits);
  const Pair slow;
  const Pair quick;
  std::optional<Slots::Room> held;
  std::optional<Slots::Wait> sending(std::in_place, slots, slow.ours());
  held.emplace(slots, slow.ours(), 60);
  REQUIRE(*held);
  std::thread next([&] {
    const Slots::Wait wait(slots, quick.ours());
    const Slots::Room room(slots, quick.ours(), 60);
    CHECK(room);
    CHECK(slow.is_shut());
  });
  while (!slow.is_shut())
    std::this_thread::yield();
  held.reset();  // as whoever reads from it does when it notices
  next.join();
  CHECK_FALSE(quick.is_shut());
}

TEST_CASE("small bodies need no room, and one too large for all of it gets none", "[http]") {
  Limits limits = two_connections();
  limits.body_ms = 1;
  Slots slots(limits);
  const Pair pair;
  const Slots::Room all(slots, pair.ours(), 100);
  CHECK(all);
  CHECK(Slots::Room(slots, pair.ours(), 10));
  CHECK_FALSE(Slots::Room(slots, pair.ours(), 11));
}

}  // namespace
}  // namespace notesdb::http
