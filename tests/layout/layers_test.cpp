// The layers: src/CMakeLists.txt says which module stands on which, and every #include obeys it.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "layout/sources.h"

namespace notesdb::layout {
namespace {

using Modules = std::map<std::string, std::set<std::string>>;  // a module and all modules below it

// Reads one "module(name USES a b PACKAGES c)" and adds what its USES stand on themselves.
void add_module(std::string_view line, Modules& modules) {
  std::istringstream words{std::string(line.substr(7, line.find(')') - 7))};
  std::string name;
  words >> name;
  std::set<std::string> below;
  bool uses = false;
  for (std::string word; words >> word;) {
    if (word == "USES" || word == "PACKAGES") {
      uses = word == "USES";
    } else if (uses) {
      INFO("module " << name << " uses " << word << ", which is not declared above it");
      REQUIRE(modules.contains(word));
      below.insert(word);
      below.insert(modules[word].begin(), modules[word].end());
    }
  }
  modules[name] = below;
}

Modules declared_modules() {
  Modules modules;
  for (const Source& source : all_sources()) {
    if (source.path != "src/CMakeLists.txt") continue;
    for (std::string_view line : source.lines()) {
      if (line.starts_with("module(")) add_module(line, modules);
    }
  }
  return modules;
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
        check(source.module_under("src/"), *header);
      }
    }
  }
}

TEST_CASE("every folder of src is a declared module", "[layout]") {
  const Modules modules = declared_modules();
  REQUIRE(modules.size() >= 8);
  for (const Source& source : all_sources()) {
    const std::string module = source.module_under("src/");
    if (module.empty()) continue;
    INFO(source.path);
    CHECK(modules.contains(module));
  }
}

TEST_CASE("includes go down the layers, never up or sideways", "[layout]") {
  const Modules modules = declared_modules();
  for_each_include('"', '"', [&](const std::string& module, const std::string& header) {
    const std::string included_module = header.substr(0, header.find('/'));
    CHECK(modules.contains(included_module));
    // A file directly in src/ is a program: it stands above every module.
    if (!module.empty())
      CHECK((included_module == module || modules.at(module).contains(included_module)));
  });
}

TEST_CASE("a package is known to the modules it belongs to and to no other", "[layout]") {
  const std::map<std::string, std::set<std::string>> homes = {
      {"yaml-cpp/", {"yaml"}},
      {"toml++/", {"toml", "serving"}},
      {"xxhash.h", {"files"}},
      {"boost/", {"database", "git", "cli", "serving"}},
      {"re2/", {"query", "expression"}},
      {"httplib.h", {"http"}},
      {"sqlite3.h", {"sqlite"}},
      {"CLI/", {"cli"}},
      {"utf8proc.h", {"core", "expression", "search"}},
  };
  std::set<std::string> used;
  for_each_include('<', '>', [&](const std::string& module, const std::string& header) {
    for (const auto& [prefix, modules] : homes) {
      if (!header.starts_with(prefix)) continue;
      CHECK(modules.contains(module));
      used.insert(prefix);
    }
  });
  for (const auto& [prefix, modules] : homes) {
    INFO(prefix << " is linked and no source includes it");
    CHECK(used.contains(prefix));
  }
}

TEST_CASE("JSON is a language of the doors and unknown below operations", "[layout]") {
  for_each_include('<', '>', [](const std::string& module, const std::string& header) {
    if (!header.starts_with("nlohmann/")) return;
    const std::set<std::string> below = {"core", "files", "note", "query", "database"};
    CHECK_FALSE(below.contains(module));
  });
}

}  // namespace
}  // namespace notesdb::layout
