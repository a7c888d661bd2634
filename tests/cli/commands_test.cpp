#include "cli/commands.h"

#include <catch2/catch.hpp>

namespace notesdb::cli {
namespace {

TEST_CASE("every command that is listed is found by its name", "[cli]") {
  const Commands commands({});
  for (const Command& command : commands.all()) {
    CAPTURE(command.name);
    const auto found = commands.find(command.name);
    REQUIRE(found);
    CHECK(found->name == command.name);
    CHECK(found->summary == command.summary);
  }
}

}  // namespace
}  // namespace notesdb::cli
