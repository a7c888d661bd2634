// The write lock, held against us by another open file, as another process would hold it.
#include "files/lock.h"

#include <chrono>
#include <optional>
#include <string>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "files/descriptor.h"
#include "files/temporary_folder.h"

using namespace notesdb;

namespace {

constexpr std::chrono::milliseconds a_moment(30);
constexpr std::chrono::milliseconds long_enough(60'000);

// A folder with a lock that somebody else holds.
class HeldByAnother {
 public:
  HeldByAnother() {
    folder_.put("lock", "");
    base_ = Descriptor(::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    other_ = open_lock();
    REQUIRE(::flock(other_.get(), LOCK_EX) == 0);
  }
  int base() const { return base_.get(); }
  Descriptor open_lock() const {
    return Descriptor(::open(folder_.at("lock").c_str(), O_RDWR | O_CLOEXEC));
  }
  void let_go() { other_.close(); }
  void remove() const { ::unlink(folder_.at("lock").c_str()); }

 private:
  TemporaryFolder folder_;
  Descriptor base_;
  Descriptor other_;
};

bool is_locked_in_time(int file) {
  const auto deadline = std::chrono::steady_clock::now() + long_enough;
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    ::usleep(500);
  }
  return true;
}

}  // namespace

TEST_CASE("who has waited in vain for the lock gets it when it is free", "[files][lock]") {
  HeldByAnother held;
  WorkspaceLock lock;
  for (int i = 0; i < 3; ++i) {
    const Result<HeldLock> refused = lock.take(held.base(), a_moment);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::busy);
  }
  held.let_go();
  CHECK(lock.take(held.base(), long_enough));
  CHECK(lock.take(held.base(), long_enough));
}

TEST_CASE("two do not hold the lock at once", "[files][lock]") {
  HeldByAnother held;
  held.let_go();
  WorkspaceLock one;
  WorkspaceLock two;
  {
    const Result<HeldLock> first = one.take(held.base(), long_enough);
    REQUIRE(first);
    CHECK(one.take(held.base(), a_moment));  // but one may take it twice
    CHECK_FALSE(two.take(held.base(), a_moment));
  }
  CHECK(two.take(held.base(), long_enough));
}

TEST_CASE("a lock that nobody waits for any more is left to others", "[files][lock]") {
  HeldByAnother held;
  std::optional<WorkspaceLock> lock;
  lock.emplace();
  REQUIRE_FALSE(lock->take(held.base(), a_moment));
  const Descriptor third = held.open_lock();
  SECTION("while the one who gave up lives on") {
    held.let_go();
    // Before or after the thread of the one who gave up, and both if it is done often enough.
    for (int i = 0; i < 50; ++i) {
      REQUIRE(is_locked_in_time(third.get()));
      ::flock(third.get(), LOCK_UN);
      ::usleep(1'000);
    }
    REQUIRE(is_locked_in_time(third.get()));
    CHECK_FALSE(lock->take(held.base(), a_moment));
  }
  SECTION("and after it") {
    lock.reset();
    held.let_go();
    CHECK(::flock(third.get(), LOCK_EX) == 0);
  }
}

TEST_CASE("a lock that was deleted while it was waited for is not waited for again",
          "[files][lock]") {
  HeldByAnother held;
  WorkspaceLock lock;
  REQUIRE_FALSE(lock.take(held.base(), a_moment));
  held.remove();
  const Result<HeldLock> first = lock.take(held.base(), a_moment);  // sees that it is gone
  CHECK(lock.take(held.base(), long_enough));
}
