#include <thread>

#include <catch2/catch.hpp>

#include "cli/command.h"

namespace notesdb::cli {
namespace {

using Texts = std::vector<std::string>;

const Command& query() {
  static const Command command{
      .name = "query",
      .summary = "Query rows",
      .positionals = {{"DB", "the database"}, {"ROW", "the row", false}},
      .flags = {{.name = "where", .value = "EXPR", .description = "", .letter = 'w'},
                {.name = "limit", .value = "N", .description = ""},
                {.name = "count", .value = "", .description = "", .letter = 'c'}}};
  return command;
}

Words sorted(const Texts& words) {
  Result<Words> parsed = parse_words(query(), words);
  INFO((parsed ? "" : parsed.error().message));
  REQUIRE(parsed);
  return *parsed;
}

std::string refusal(const Texts& words) {
  const Result<Words> parsed = parse_words(query(), words);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().code == ErrorCode::invalid_argument);
  return parsed.error().message;
}

TEST_CASE("a flag's value is behind it or in the same word", "[cli]") {
  const Words words = sorted({"--where", "a=1", "tasks", "--where=b=2", "-w", "c", "-wd"});
  CHECK(words.all("where") == Texts{"a=1", "b=2", "c", "d"});
  CHECK(words.all("DB") == Texts{"tasks"});
  CHECK_FALSE(words.has("ROW"));
}

TEST_CASE("a flag takes the next word whatever it looks like, and an empty value too", "[cli]") {
  CHECK(sorted({"--where", "--count"}).all("where") == Texts{"--count"});
  CHECK(sorted({"-w", "--limit=3"}).all("where") == Texts{"--limit=3"});
  CHECK(sorted({"--where=", "tasks"}).all("where") == Texts{""});
  CHECK(sorted({"--where=", "tasks"}).all("DB") == Texts{"tasks"});
}

TEST_CASE("several letters may share a dash", "[cli]") {
  const Words words = sorted({"-cwa=1", "tasks"});
  CHECK(words.has("count"));
  CHECK(words.all("where") == Texts{"a=1"});
}

TEST_CASE("a lone dash, a negative number and what follows two dashes are no flags", "[cli]") {
  CHECK(sorted({"-", "-5"}).all("ROW") == Texts{"-5"});
  CHECK(sorted({"--count", "--", "--where"}).all("DB") == Texts{"--where"});
}

TEST_CASE("flags of every command stand anywhere", "[cli]") {
  const Words words = sorted({"tasks", "-ojson", "--root", "/notes", "row-1", "--json"});
  CHECK(words.last("output") == "json");
  CHECK(words.last("root") == "/notes");
  CHECK(words.has("json"));
  CHECK(words.last("ROW") == "row-1");
}

TEST_CASE("the first word that nothing takes is named", "[cli]") {
  CHECK(refusal({"tasks", "row", "more", "--bogus"}) == "unexpected argument 'more'");
  CHECK(refusal({"tasks", "--limt=3", "more"}).find("unknown option '--limt'") == 0);
  CHECK(refusal({"tasks", "--limt=3"}).find("did you mean '--limit'?") != std::string::npos);
  CHECK(refusal({"tasks", "-cx"}).find("unknown option '-x'") == 0);
  CHECK(refusal({"tasks", "row", ""}) == "unexpected argument ''");
}

TEST_CASE("a flag without its value and a switch with one are refused", "[cli]") {
  CHECK(refusal({"tasks", "--where"}) == "--where needs a value");
  CHECK(refusal({"tasks", "--count=false"}) == "--count takes no value");
}

std::string told(const Texts& words) {
  const Result<Words> parsed = parse_words(query(), words);
  if (!parsed) return parsed.error().message;
  std::string all;
  for (const char* name : {"where", "limit", "count", "output", "root", "json", "DB", "ROW"})
    for (const std::string& value : parsed->all(name))
      all += std::string(name) + "=" + value + "\n";
  return all;
}

TEST_CASE("words are sorted the same whatever was sorted before them", "[cli]") {
  const std::vector<Texts> lines{{"tasks", "--where", "a"},
                                 {"tasks", "--where", "b", "--where=c"},
                                 {"--where", "b", "tasks", "row"},
                                 {"tasks"},
                                 {"tasks", "row", "-c"},
                                 {"tasks", "--count", "row"},
                                 {"tasks", "--where", ""},
                                 {"--", "tasks", "--where"},
                                 {"tasks", "row", "more"},
                                 {"tasks", "--where"},
                                 {"tasks", "--whereas"},
                                 {"tasks", "--limt=3"},
                                 {"tasks", "-cw", "a"},
                                 {"tasks", "-cx", "a"},
                                 {"tasks", "--limit", "-5", "-o", "json"},
                                 {}};
  std::vector<std::string> alone(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    std::thread([&] { alone[i] = told(lines[i]); }).join();  // which has sorted nothing yet
  for (const Texts& before : lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      told(before);
      CHECK(told(lines[i]) == alone[i]);
    }
  }
}

}  // namespace
}  // namespace notesdb::cli
