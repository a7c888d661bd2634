#include "core/memory_reserve.h"

#include <cstdlib>
#include <limits>
#include <new>

#include <catch2/catch.hpp>

namespace notesdb {
namespace {

// More than any allocator gives, so that each request for it calls the handler until that throws.
constexpr std::size_t too_much = std::numeric_limits<std::size_t>::max() / 4;

TEST_CASE("a refused request gives the reserve back once and then fails", "[memory]") {
  keep_memory_reserve();
  const std::new_handler give_back = std::get_new_handler();
  REQUIRE(give_back != nullptr);
  CHECK_NOTHROW(give_back());
  CHECK_THROWS_AS(give_back(), std::bad_alloc);
  keep_memory_reserve();
  CHECK_NOTHROW(give_back());
  CHECK_THROWS_AS(::operator new(too_much), std::bad_alloc);
}

}  // namespace
}  // namespace notesdb
