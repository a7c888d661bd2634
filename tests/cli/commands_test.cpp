#include "cli/commands.h"

#include <catch2/catch.hpp>

#include "cli/terminal.h"

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

TEST_CASE("every option has a line of help and a value with a meaning", "[cli]") {
  const auto check = [](const Flag& flag) {
    CAPTURE(flag.name, flag.value);
    CHECK_FALSE(flag.description.empty());
    CHECK(flag.value != "WORD");
    CHECK(flag.value != "OF");
    if (flag.value == "N") CHECK(flag.description.size() > 10);
  };
  for (const Flag& flag : global_flags())
    check(flag);
  const Commands commands({});
  for (const Command& command : commands.all()) {
    CAPTURE(command.name);
    for (const Flag& flag : command.flags)
      check(flag);
    for (const Positional& positional : command.positionals)
      CHECK(positional.name != "WORD");
  }
}

TEST_CASE("commands have the names that people type elsewhere", "[cli]") {
  const Commands commands({});
  for (const auto& [alias, name] :
       std::vector<std::pair<std::string, std::string>>{{"ls", "list"},
                                                        {"rm", "delete"},
                                                        {"mv", "rename"},
                                                        {"new", "insert"},
                                                        {"set", "update"},
                                                        {"show", "get"},
                                                        {"lint", "check"}}) {
    CAPTURE(alias);
    REQUIRE(commands.find(alias));
    CHECK(commands.find(alias)->name == name);
  }
}

TEST_CASE("colours are for terminals that want them", "[cli]") {
  const Environment none = [](const std::string&) { return std::nullopt; };
  const Environment refused = [](const std::string& name) {
    return name == "NO_COLOR" ? std::optional<std::string>("1") : std::nullopt;
  };
  CHECK(wants_colours("auto", none, true));
  CHECK_FALSE(wants_colours("auto", none, false));
  CHECK_FALSE(wants_colours("auto", refused, true));
  CHECK(wants_colours("always", refused, false));
  CHECK_FALSE(wants_colours("never", none, true));
  CHECK(coloured_diff("-a\n+b\n c\n") == "\x1b[31m-a\x1b[0m\n\x1b[32m+b\x1b[0m\n c\n");
  CHECK(coloured_table("id\n--\na\n") == "\x1b[1mid\x1b[0m\n\x1b[2m--\x1b[0m\na\n");
}

}  // namespace
}  // namespace notesdb::cli
