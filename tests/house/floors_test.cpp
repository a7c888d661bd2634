// The floors: src/CMakeLists.txt says which room stands on which, and every #include obeys it.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "house/sources.h"

namespace notesdb::house {
namespace {

using Rooms = std::map<std::string, std::set<std::string>>;  // a room and all rooms below it

// Reads one "room(name USES a b PACKAGES c)" and adds what its USES stand on themselves.
void add_room(std::string_view line, Rooms& rooms) {
  std::istringstream words{std::string(line.substr(5, line.find(')') - 5))};
  std::string name;
  words >> name;
  std::set<std::string> below;
  bool uses = false;
  for (std::string word; words >> word;) {
    if (word == "USES" || word == "PACKAGES") {
      uses = word == "USES";
    } else if (uses) {
      INFO("room " << name << " uses " << word << ", which is not declared above it");
      REQUIRE(rooms.contains(word));
      below.insert(word);
      below.insert(rooms[word].begin(), rooms[word].end());
    }
  }
  rooms[name] = below;
}

Rooms declared_rooms() {
  Rooms rooms;
  for (const Source& source : all_sources()) {
    if (source.path != "src/CMakeLists.txt") continue;
    for (std::string_view line : source.lines()) {
      if (line.starts_with("room(")) add_room(line, rooms);
    }
  }
  return rooms;
}

// What stands between `open` and `close` of an #include line; empty if it is none of that kind.
std::optional<std::string> included(std::string_view line, char open, char close) {
  if (!line.starts_with("#include ")) return std::nullopt;
  const std::size_t begin = line.find(open);
  const std::size_t end = line.rfind(close);
  if (begin == std::string_view::npos || end <= begin) return std::nullopt;
  return std::string(line.substr(begin + 1, end - begin - 1));
}

template <typename Check>
void for_each_include(char open, char close, Check check) {
  for (const Source& source : all_sources()) {
    if (!source.under("src/") || !source.is_cpp()) continue;
    const auto lines = source.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (const auto header = included(lines[i], open, close)) {
        INFO(place(source, i) << " includes " << *header);
        check(source.room_under("src/"), *header);
      }
    }
  }
}

TEST_CASE("every folder of src is a declared room", "[house]") {
  const Rooms rooms = declared_rooms();
  REQUIRE(rooms.size() >= 8);
  for (const Source& source : all_sources()) {
    const std::string room = source.room_under("src/");
    if (room.empty()) continue;
    INFO(source.path);
    CHECK(rooms.contains(room));
  }
}

TEST_CASE("includes go down the floors, never up or sideways", "[house]") {
  const Rooms rooms = declared_rooms();
  for_each_include('"', '"', [&](const std::string& room, const std::string& header) {
    const std::string included_room = header.substr(0, header.find('/'));
    CHECK(rooms.contains(included_room));
    // A file directly in src/ is a program: it stands above every room.
    if (!room.empty()) CHECK((included_room == room || rooms.at(room).contains(included_room)));
  });
}

TEST_CASE("a package is known to the rooms it belongs to and to no other", "[house]") {
  const std::map<std::string, std::set<std::string>> homes = {
      {"yaml-cpp/", {"note"}},
      {"toml++/", {"note", "serving"}},
      {"xxhash.h", {"files"}},
      {"boost/", {"database", "git", "cli", "serving"}},
      {"re2/", {"query", "expression"}},
      {"httplib.h", {"http"}},
      {"sqlite3.h", {"sqlite"}},
      {"CLI/", {"cli"}},
      {"utf8proc.h", {"core", "expression"}},
  };
  std::set<std::string> used;
  for_each_include('<', '>', [&](const std::string& room, const std::string& header) {
    for (const auto& [prefix, rooms] : homes) {
      if (!header.starts_with(prefix)) continue;
      CHECK(rooms.contains(room));
      used.insert(prefix);
    }
  });
  for (const auto& [prefix, rooms] : homes) {
    INFO(prefix << " is linked and no source includes it");
    CHECK(used.contains(prefix));
  }
}

TEST_CASE("JSON is a language of the doors and unknown below operations", "[house]") {
  for_each_include('<', '>', [](const std::string& room, const std::string& header) {
    if (!header.starts_with("nlohmann/")) return;
    const std::set<std::string> below = {"core", "files", "note", "query", "database"};
    CHECK_FALSE(below.contains(room));
  });
}

}  // namespace
}  // namespace notesdb::house
