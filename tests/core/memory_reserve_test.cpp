#include <new>

#include <catch2/catch.hpp>

#include "core/budget.h"

namespace notesdb {
namespace {

TEST_CASE("a refused request gives the reserve back once and then fails", "[memory]") {
  keep_memory_reserve();
  const std::new_handler give_back = std::get_new_handler();
  REQUIRE(give_back != nullptr);
  CHECK_NOTHROW(give_back());
  CHECK_THROWS_AS(give_back(), std::bad_alloc);
  keep_memory_reserve();
  CHECK_NOTHROW(give_back());
}

}  // namespace
}  // namespace notesdb
