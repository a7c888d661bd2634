// What one question may take: time, memory and patience.
#include "core/budget.h"

#include <thread>

#include <catch2/catch.hpp>

#include "core/number_text.h"

namespace notesdb {
namespace {

using std::chrono::milliseconds;

template <typename Work>
std::optional<Error> spent_by(const Work& work) {
  try {
    work();
  } catch (const BudgetSpent& spent) {
    return spent.error();
  }
  return std::nullopt;
}

TEST_CASE("where there is no budget nothing is bounded", "[budget]") {
  CHECK_NOTHROW(Budget::look());
  CHECK_NOTHROW(Budget::take(std::uint64_t{1} << 60U));
}

TEST_CASE("a budget ends when its time is over, naming the setting", "[budget]") {
  const Budget budget({.time = milliseconds(20)});
  CHECK_NOTHROW(Budget::look());
  std::this_thread::sleep_for(milliseconds(30));
  const auto error = spent_by([] { Budget::look(); });
  REQUIRE(error);
  CHECK(error->code == ErrorCode::limit_exceeded);
  CHECK(error->message.find("20 ms (query_timeout)") != std::string::npos);
  CHECK(*error->data.find("setting") == Value("query_timeout"));
}

TEST_CASE("a loop of cheap steps looks at the time too", "[budget]") {
  const Budget budget({.time = milliseconds(1)});
  std::this_thread::sleep_for(milliseconds(5));
  std::uint32_t calls = 0;
  CHECK(spent_by([&] {
    for (int step = 0; step < 300; ++step)
      Budget::look_rarely(calls);
  }));
}

TEST_CASE("a budget ends when its memory is taken", "[budget]") {
  const Budget budget({.memory = 3 << 20});
  Budget::take(2 << 20);
  const auto error = spent_by([] { Budget::take((1 << 20) + 1); });
  REQUIRE(error);
  CHECK(error->code == ErrorCode::limit_exceeded);
  CHECK(error->message.find("3 MiB (query_memory)") != std::string::npos);
}

TEST_CASE("a cancelled question ends, and so does one whose caller has left", "[budget]") {
  std::atomic<bool> cancelled = false;
  bool left = false;
  const CallerWatch watch([&] { return left; });
  const Budget budget({.cancelled = &cancelled});
  CHECK_NOTHROW(Budget::look());
  cancelled = true;
  CHECK(spent_by([] { Budget::look(); })->code == ErrorCode::cancelled);
  cancelled = false;
  left = true;
  std::this_thread::sleep_for(milliseconds(25));
  CHECK(spent_by([] { Budget::look(); })->code == ErrorCode::cancelled);
}

TEST_CASE("work for everybody is not bounded, and its time is not the question's", "[budget]") {
  const Budget budget({.time = milliseconds(200)});
  {
    const BudgetPause pause;
    std::this_thread::sleep_for(milliseconds(250));
    CHECK_NOTHROW(Budget::look());
  }
  CHECK_NOTHROW(Budget::look());
}

TEST_CASE("a budget within another stands in its place until it ends", "[budget]") {
  const Budget outer({.memory = 10});
  {
    const Budget inner({.memory = 100});
    CHECK_NOTHROW(Budget::take(50));
  }
  CHECK(spent_by([] { Budget::take(50); }));
}

TEST_CASE("times and sizes are read with their units and no others", "[budget]") {
  CHECK(parse_duration("30s") == milliseconds(30'000));
  CHECK(parse_duration("500 ms") == milliseconds(500));
  CHECK(parse_duration("2min") == milliseconds(120'000));
  CHECK(parse_duration("1h") == milliseconds(3'600'000));
  for (const char* wrong : {"", "30", "0s", "-1s", "1.5s", "30 seconds", "s", "9999999h", "1  s"})
    CHECK_FALSE(parse_duration(wrong));
  CHECK(parse_size("64MiB") == std::uint64_t{64} << 20U);
  CHECK(parse_size("1 GiB") == std::uint64_t{1} << 30U);
  for (const char* wrong : {"", "64", "0B", "1GB", "-1MiB", "99999999GiB", "MiB"})
    CHECK_FALSE(parse_size(wrong));
  CHECK(duration_text(milliseconds(1500)) == "1500 ms");
  CHECK(duration_text(milliseconds(300'000)) == "5 min");
  CHECK(size_text(std::uint64_t{3} << 29U) == "1536 MiB");
}

}  // namespace
}  // namespace notesdb
