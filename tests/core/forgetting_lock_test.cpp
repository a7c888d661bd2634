#include <mutex>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "core/threads.h"

namespace notesdb {
namespace {

struct Memory {
  std::mutex& mutex() { return held; }
  void forget() {
    is_forgotten = true;
    was_held = !held.try_lock();
    if (!was_held) held.unlock();
  }
  std::mutex held;
  bool is_forgotten = false;
  bool was_held = false;
};

void take_in(Memory& memory, bool fails) {
  const ForgettingLock lock(memory);
  if (fails) throw std::runtime_error("half way");
}

TEST_CASE("what an exception passes is forgotten while it is still held", "[forgetting]") {
  Memory memory;
  take_in(memory, false);
  CHECK_FALSE(memory.is_forgotten);
  CHECK_THROWS(take_in(memory, true));
  CHECK(memory.is_forgotten);
  CHECK(memory.was_held);
  const std::unique_lock again(memory.held, std::try_to_lock);
  CHECK(again.owns_lock());
}

// As in a destructor, while another exception is under way.
struct TakesIn {
  explicit TakesIn(Memory& memory) : memory_(memory) {}
  TakesIn(const TakesIn&) = delete;
  TakesIn& operator=(const TakesIn&) = delete;
  ~TakesIn() { take_in(memory_, false); }
  Memory& memory_;
};

TEST_CASE("an exception from before is no reason to forget", "[forgetting]") {
  Memory memory;
  const auto unwind = [&] {
    const TakesIn last(memory);
    throw std::runtime_error("from before");
  };
  CHECK_THROWS(unwind());
  CHECK_FALSE(memory.is_forgotten);
}

}  // namespace
}  // namespace notesdb
