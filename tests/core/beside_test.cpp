#include <atomic>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "core/threads.h"

namespace notesdb {
namespace {

TEST_CASE("two threads do all parts of a work once", "[beside]") {
  constexpr int parts = 1000;
  std::atomic<int> next{0};
  std::atomic<int> done{0};
  const auto work = [&] {
    while (next++ < parts)
      ++done;
  };
  Beside other(work);
  work();
  other.join();
  CHECK(done == parts);
}

TEST_CASE("what the other thread throws comes out of join", "[beside]") {
  Beside other([] { throw std::runtime_error("from the other"); });
  CHECK_THROWS_WITH(other.join(), "from the other");
  CHECK_NOTHROW(other.join());
}

TEST_CASE("whoever leaves by an exception waits for the other thread", "[beside]") {
  std::atomic<bool> is_done{false};
  const auto leave = [&] {
    const Beside other([&] { is_done = true; });
    throw std::runtime_error("from this one");
  };
  CHECK_THROWS_WITH(leave(), "from this one");
  CHECK(is_done);
}

}  // namespace
}  // namespace notesdb
