// Full text over rows: what is found, in which order, and never what was there before.
#include "search/search.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <catch2/catch.hpp>

#include "core/budget.h"
#include "core/progress.h"
#include "database/made_workspace.h"
#include "search/index_file.h"
#include "sqlite/connection.h"

namespace notesdb {
namespace {

// A cache folder for as long as it lives.
class MadeCache {
 public:
  MadeCache() { ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }
  ~MadeCache() { ::unsetenv("XDG_CACHE_HOME"); }
  MadeCache(const MadeCache&) = delete;
  MadeCache& operator=(const MadeCache&) = delete;

  std::filesystem::path index() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      if (entry.path().filename() == "search-fts5-5.sqlite") return entry.path();
    return {};
  }

 private:
  TemporaryFolder folder_;
};

void write_notes(const MadeWorkspace& made) {
  made.write("a/_schema.yaml",
             "name: A\ncolumns: [{id: title, type: text}, {id: size, type: number}]\n");
  made.write("a/1.md", "---\ntitle: Lantern light\nsize: 1\n---\nThe open house is on Friday.\n");
  made.write("a/2.md", "---\ntitle: Café\nsize: 2\n---\nA lantern for the house, open late.\n");
  made.write("a/3.md", "---\nsize: 3\n---\n# Catalogue\nnothing\n");
  made.write("b/_schema.yaml", "name: B\ncolumns: [{id: name, type: text}]\n");
  made.write("b/1.md", "---\nname: Lanterns\n---\n");
}

std::vector<std::string> found(Workspace& workspace, SearchRequest request) {
  const auto answer = search_rows(workspace, request);
  INFO((answer ? "" : answer.error().message));
  REQUIRE(answer);
  CHECK(answer->total == static_cast<std::int64_t>(answer->rows.size()));
  std::vector<std::string> names;
  for (const FoundRow& row : answer->rows)
    names.push_back(row.database_id + "/" + row.id);
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("words, phrases, beginnings and what must not occur", "[search]") {
  const MadeCache cache;
  MadeWorkspace made;
  write_notes(made);
  Workspace& workspace = made.open();
  CHECK(found(workspace, {.text = "lantern"}) == Names{"a/1", "a/2"});
  CHECK(found(workspace, {.text = "LANTERN*"}) == Names{"b/1", "a/1", "a/2"});
  CHECK(found(workspace, {.text = "\"open house\""}) == Names{"a/1"});
  CHECK(found(workspace, {.text = "house -friday"}) == Names{"a/2"});
  CHECK(found(workspace, {.text = "cafe"}) == Names{"a/2"});
  CHECK(found(workspace, {.text = "lantern*", .database_id = "b"}) == Names{"b/1"});
  CHECK(found(workspace, {.text = "AND OR ( \" NEAR : ^"}).empty());
  CHECK(search_rows(workspace, {.text = "-a"}).error().code == ErrorCode::invalid_argument);
  CHECK(search_rows(workspace, {.text = "\"()"}).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("what is asked of one field, and either of two", "[search]") {
  const MadeCache cache;
  MadeWorkspace made;
  made.write("s/_schema.yaml",
             "name: S\ncolumns: [{id: title, type: text}, {id: status, type: text},"
             " {id: authors, type: list}]\n");
  made.write("s/1.md",
             "---\ntitle: Oak shelf\nstatus: open\nauthors: [Ursula Le Guin]\n---\nelm\n");
  made.write("s/2.md", "---\ntitle: Elm\nstatus: closed\n---\nThe shelf. Its status: open.\n");
  made.write("s/3.md", "---\ntitle: Ash\nkeeper: Annabel\n---\nKept by keeper: Bo. open house\n");
  Workspace& workspace = made.open();
  const auto names = [&](const char* text) {
    Names all = found(workspace, {.text = text});
    std::ranges::sort(all);
    return all;
  };
  CHECK(names("shelf") == Names{"s/1", "s/2"});
  CHECK(names("title:shelf") == Names{"s/1"});
  CHECK(names("body:shelf") == Names{"s/2"});
  CHECK(names("-title:shelf shelf") == Names{"s/2"});
  CHECK(names("status:open") == Names{"s/1"});
  CHECK(names("STATUS:Op*") == Names{"s/1"});
  CHECK(names("\"status: open\"") == Names{"s/2"});
  CHECK(names("authors:\"le guin\"") == Names{"s/1"});
  CHECK(names("authors:\"guin le\"").empty());
  // No column has this name: a key of some rows, and words of others.
  CHECK(names("keeper:annabel") == Names{"s/3"});
  CHECK(names("keeper:bo") == Names{"s/3"});
  CHECK(names("annabel OR elm") == Names{"s/1", "s/2", "s/3"});
  CHECK(names("annabel OR elm title:shelf") == Names{"s/1", "s/3"});
  CHECK(names("(annabel OR elm) open") == Names{"s/1", "s/2", "s/3"});
  CHECK(names("title:(ash OR oak) open") == Names{"s/1", "s/3"});
  CHECK(names("elm -(closed OR keeper)") == Names{"s/1"});
  CHECK(names("((ash)) OR (-").size() == 1);
  CHECK(names("OR elm").empty());  // a word where it stands between nothing
  CHECK(names("elm OR").empty());
  CHECK(names("12:30").empty());
  CHECK(names("https://example.com/shelf").empty());
  CHECK(search_rows(workspace, {.text = "elm OR -ash"}).error().code ==
        ErrorCode::invalid_argument);
  CHECK(names((std::string(500, '(') + "ash" + std::string(300, ')')).c_str()) == Names{"s/3"});
  std::string many = "elm";
  for (int i = 0; i < 1'000; ++i)
    many += " -x" + std::to_string(i);
  CHECK(names(many.c_str()) == Names{"s/1", "s/2"});
}

TEST_CASE("a snippet is of the body, where that holds what was asked for", "[search]") {
  const MadeCache cache;
  MadeWorkspace made;
  write_notes(made);
  made.write("a/4.md", "---\ntitle: Lamp\nsize: 4\nkeeper: Lamp maker\n---\nUnder the lamp.\n");
  const auto snippet = [&](const char* text) {
    return search_rows(made.open(), {.text = text})->rows.at(0).snippet;
  };
  CHECK(snippet("lamp") == "Under the **lamp**.\n");
  CHECK(snippet("maker") == "4\nLamp **maker**\n");
  CHECK(snippet("cafe") == "**Café**");
}

TEST_CASE("texts without spaces between words are found by any part of them", "[search]") {
  const MadeCache cache;
  MadeWorkspace made;
  made.write("s/_schema.yaml", "name: S\ncolumns: [{id: title, type: text}]\n");
  made.write("s/1.md", "---\ntitle: 東京都港区の会議\n---\nﾃｽﾄとtokyo\n");
  made.write("s/2.md", "---\ntitle: \u1112\u1161\u11ab글 회의\n---\nการประชุม\n");
  made.write("s/3.md", "---\ntitle: 京東\n---\nŁódź, Straße, Ёлка, Đà Nẵng, smørrebrød, मुंबई\n");
  Workspace& workspace = made.open();
  CHECK(found(workspace, {.text = "港区"}) == Names{"s/1"});
  CHECK(found(workspace, {.text = "東京"}) == Names{"s/1"});
  CHECK(found(workspace, {.text = "京"}) == Names{"s/3", "s/1"});
  CHECK(found(workspace, {.text = "テスト"}) == Names{"s/1"});
  CHECK(found(workspace, {.text = "ＴＯＫＹＯ"}) == Names{"s/1"});
  CHECK(found(workspace, {.text = "한글"}) == Names{"s/2"});
  CHECK(found(workspace, {.text = "ประชุม"}) == Names{"s/2"});
  for (const char* word : {"lodz", "strasse", "елка", "da nang", "smorrebrod", "मुंबई", "मुं*"}) {
    INFO(word);
    CHECK(found(workspace, {.text = word}) == Names{"s/3"});
  }
  CHECK(found(workspace, {.text = "मब"}).empty());
  CHECK(search_rows(workspace, {.text = "東京"})->rows.at(0).snippet.find("**東京**都") !=
        std::string::npos);
}

TEST_CASE("a search says the title and where the words stand", "[search]") {
  const MadeCache cache;
  MadeWorkspace made;
  write_notes(made);
  const auto answer = search_rows(made.open(), {.text = "friday"});
  REQUIRE(answer);
  REQUIRE(answer->rows.size() == 1);
  CHECK(answer->rows[0].title == "Lantern light");
  CHECK(answer->rows[0].snippet.find("**Friday**") != std::string::npos);
  CHECK(search_rows(made.open(), {.text = "nothing"})->rows[0].title == "Catalogue");
}

TEST_CASE("a row is called by the column that is its title, whatever its id", "[search]") {
  const MadeCache cache;
  MadeWorkspace made;
  made.write("t/_schema.yaml",
             "name: T\ncolumns: [{id: aliases, type: text}, {id: display_name, type: text}]\n");
  made.write("t/1.md", "---\naliases: none\ndisplay_name: Quantum Computing\n---\nqubits\n");
  const auto answer = search_rows(made.open(), {.text = "qubits"});
  REQUIRE(answer);
  CHECK(answer->rows.at(0).title == "Quantum Computing");
}

TEST_CASE("filters narrow a search, and pages count all that was found", "[search]") {
  const MadeCache cache;
  MadeWorkspace made;
  write_notes(made);
  SearchRequest request{.text = "lantern", .database_id = "a"};
  request.filters = List{triple("size", "gt", 1)};
  CHECK(found(made.open(), request) == Names{"a/2"});
  const auto page = search_rows(made.open(), {.text = "lantern*", .limit = 1, .offset = 1});
  REQUIRE(page);
  CHECK(page->total == 3);
  CHECK(page->rows.size() == 1);
  request.database_id.clear();
  CHECK(search_rows(made.open(), request).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("rows that match equally well come by name, whatever the pages", "[search]") {
  MadeCache cache;
  MadeWorkspace made;
  made.write("a/_schema.yaml", "name: A\ncolumns: [{id: title, type: text}]\n");
  std::vector<std::string> all;
  for (const char* name : {"11", "12", "13", "14", "15", "16", "17"}) {
    made.write("a/" + std::string(name) + ".md", "---\ntitle: same words\n---\n");
    all.push_back("a/" + std::string(name));
  }
  made.write("a/10.md", "---\ntitle: words and words that differ, so many of them\n---\n");
  const std::vector<std::string> whole = found(made.open(), {.text = "same"});
  CHECK(whole == all);
  std::vector<std::string> laid;
  for (std::int64_t offset = 0; offset < 7; offset += 2) {
    const auto page = search_rows(made.open(), {.text = "same", .limit = 2, .offset = offset});
    REQUIRE(page);
    CHECK(page->total == 7);
    for (const FoundRow& row : page->rows)
      laid.push_back("a/" + row.id);
  }
  CHECK(laid == all);
}

TEST_CASE("what changed since is found as it is now", "[search]") {
  const MadeCache cache;
  MadeWorkspace made;
  write_notes(made);
  CHECK(found(made.open(), {.text = "friday"}) == Names{"a/1"});
  made.write("a/1.md", "---\ntitle: Monday\n---\n");
  made.write("a/4.md", "friday again\n");
  CHECK(found(made.open(), {.text = "friday"}) == Names{"a/4"});
  std::filesystem::remove(made.root() / "a/4.md");
  CHECK(found(made.open(), {.text = "friday"}).empty());
  std::filesystem::remove(made.root() / "a/_schema.yaml");
  CHECK(found(*made.open_anew(), {.text = "lantern*"}) == Names{"b/1"});
}

TEST_CASE("what no schema declares is found as well", "[search]") {
  MadeCache cache;
  MadeWorkspace made;
  write_notes(made);
  made.write("a/4.md", "---\ntitle: Plain\nkeeper: Annabel\nat:\n  shelf: [top, Harbour]\n---\n");
  CHECK(found(made.open(), {.text = "annabel"}) == Names{"a/4"});
  CHECK(found(made.open(), {.text = "harbour"}) == Names{"a/4"});
}

TEST_CASE("every page of a search is as the whole, for words, prefixes and filters", "[search]") {
  const MadeCache cache;
  MadeWorkspace made;
  made.write("a/_schema.yaml", "name: A\ncolumns: [{id: n, type: number}]\n");
  made.write("b/_schema.yaml", "name: B\ncolumns: []\n");
  for (int i = 0; i < 60; ++i) {
    std::string body;
    for (int k = 0; k <= i % 7; ++k)
      body += "lantern lamp" + std::to_string(k) + "\n";
    made.write("a/" + std::to_string(i) + ".md",
               "---\nn: " + std::to_string(i % 2) + "\n---\n" + body);
    made.write("b/" + std::to_string(i) + ".md", "---\n---\n" + body);
  }
  const Value odd = Map{{"field", "n"}, {"operator", "eq"}, {"value", 1}};
  for (const SearchRequest& asked :
       {SearchRequest{.text = "lantern"},
        SearchRequest{.text = "lam*"},
        SearchRequest{.text = "lantern", .database_id = "a"},
        SearchRequest{.text = "la*", .database_id = "a", .filters = odd}}) {
    INFO(asked.text << " in '" << asked.database_id << "'");
    SearchRequest all = asked;
    all.limit = 1000;
    const auto whole = search_rows(made.open(), all);
    REQUIRE(whole);
    CHECK(whole->rows.size() == static_cast<std::size_t>(whole->total));
    std::size_t at = 0;
    for (SearchRequest page = asked; page.offset < whole->total; page.offset += page.limit) {
      page.limit = 7;
      const auto found = search_rows(made.open(), page);
      REQUIRE(found);
      CHECK(found->total == whole->total);
      for (const FoundRow& row : found->rows) {
        REQUIRE(at < whole->rows.size());
        const FoundRow& expected = whole->rows[at++];
        CHECK(row.database_id + "/" + row.id == expected.database_id + "/" + expected.id);
        CHECK(row.snippet == expected.snippet);
        CHECK(row.snippet.find("**") != std::string::npos);
      }
    }
    CHECK(at == whole->rows.size());
  }
}

TEST_CASE("an index that is gone, damaged or of another program is made anew", "[search]") {
  const MadeCache cache;
  MadeWorkspace made;
  write_notes(made);
  CHECK(found(made.open(), {.text = "lantern"}) == Names{"a/1", "a/2"});
  REQUIRE_FALSE(cache.index().empty());
  std::ofstream(cache.index(), std::ios::binary) << "this is not a database, only some text\n";
  CHECK(found(made.open(), {.text = "lantern"}) == Names{"a/1", "a/2"});
  std::filesystem::resize_file(cache.index(), 5000);
  CHECK(found(made.open(), {.text = "lantern"}) == Names{"a/1", "a/2"});
  std::filesystem::remove(cache.index());
  CHECK(found(made.open(), {.text = "lantern"}) == Names{"a/1", "a/2"});
  CHECK_FALSE(made.has_trace());
}

TEST_CASE("indexing is part of the question, and the next search goes on with it", "[search]") {
  const MadeCache cache;
  MadeWorkspace made;
  write_notes(made);
  constexpr int many = 3'000;
  for (int i = 0; i < many; ++i)
    made.write("b/row-" + std::to_string(i) + ".md", "---\nname: Lamp\n---\nA lamp.\n");
  const SearchRequest request{.text = "lamp", .limit = 1};
  std::vector<int> left;
  Result<SearchAnswer> answer = Error{};
  for (auto time = std::chrono::milliseconds(20); !answer; time *= 2) {
    REQUIRE(time < std::chrono::minutes(2));
    const Budget budget({.time = time});
    answer = search_rows(made.open(), request);
    if (answer) break;
    CHECK(answer.error().code == ErrorCode::limit_exceeded);
    const std::string& message = answer.error().message;
    INFO(message);
    CHECK(message.find("query_timeout") != std::string::npos);
    if (message.find("changed rows of 'b'") != std::string::npos)
      left.push_back(std::stoi(message.substr(message.find(" of ") + 4)));
  }
  CHECK(answer->total == many);
  REQUIRE_FALSE(left.empty());
  CHECK(std::ranges::adjacent_find(left, std::ranges::less_equal{}) == left.end());
}

TEST_CASE("an index that others are writing to is waited for and stays", "[search]") {
  const MadeCache cache;
  MadeWorkspace made;
  write_notes(made);
  CHECK(found(made.open(), {.text = "friday"}) == Names{"a/1"});
  const std::uint64_t identity = search::identity_of(cache.index().string());
  made.write("a/4.md", "friday again\n");
  sqlite::Connection other(cache.index().string());
  other.execute("BEGIN IMMEDIATE");
  std::thread writer([&other] {
    // Longer than SQLite itself waits.
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    other.execute("COMMIT");
  });
  CHECK(found(*made.open_anew(), {.text = "friday"}) == Names{"a/4", "a/1"});
  writer.join();
  CHECK(search::identity_of(cache.index().string()) == identity);
}

TEST_CASE("a process that stays searches what is there, whoever changes rows and index",
          "[search]") {
  const MadeCache cache;
  MadeWorkspace made;
  write_notes(made);
  made.open().stay();
  CHECK(found(made.open(), {.text = "friday"}) == Names{"a/1"});
  made.write("a/1.md", "---\ntitle: Monday\n---\n");
  made.write("a/4.md", "friday again\n");
  CHECK(found(made.open(), {.text = "friday"}) == Names{"a/4"});
  made.write("a/5.md", "the next friday\n");
  CHECK(found(*made.open_anew(), {.text = "friday"}) == Names{"a/4", "a/5"});
  CHECK(found(made.open(), {.text = "friday"}) == Names{"a/4", "a/5"});
  std::filesystem::remove(made.root() / "a/4.md");
  CHECK(found(*made.open_anew(), {.text = "friday"}) == Names{"a/5"});
  made.write("a/4.md", "friday again\n");
  CHECK(found(made.open(), {.text = "friday"}) == Names{"a/4", "a/5"});
  std::filesystem::remove(cache.index());
  CHECK(found(made.open(), {.text = "friday"}) == Names{"a/4", "a/5"});
  CHECK_FALSE(cache.index().empty());
  std::ofstream(cache.index(), std::ios::binary) << "this is not a database, only some text\n";
  CHECK(found(made.open(), {.text = "friday"}) == Names{"a/4", "a/5"});
  made.write("a/_schema.yaml", "name: A\ncolumns: [{id: kept_by, type: text}]\n");
  made.write("a/6.md", "---\nkept_by: Friday\n---\n");
  CHECK(found(made.open(), {.text = "kept_by:friday"}) == Names{"a/6"});
  std::filesystem::remove(made.root() / "a/_schema.yaml");
  CHECK(found(made.open(), {.text = "friday"}).empty());
  CHECK(found(made.open(), {.text = "lanterns"}) == Names{"b/1"});
}

TEST_CASE("a search tells how far its index is", "[search]") {
  const MadeCache cache;
  MadeWorkspace made;
  write_notes(made);
  std::string body;
  for (int i = 0; i < 15'000; ++i)
    body += "word" + std::to_string(i) + " ";
  for (int i = 0; i < 200; ++i)
    made.write("b/row-" + std::to_string(i) + ".md", "---\nname: Lamp\n---\n" + body);
  std::vector<double> told;
  double of = 0;
  const SearchRequest request{.text = "lamp"};
  const ProgressReport report = [&](double done, double total, std::string_view what) {
    if (what != "indexing words") return;
    of = total;
    told.push_back(done);
  };
  const ProgressScope scope(report);
  CHECK(search_rows(made.open(), request)->total == 200);
  CHECK(told.size() > 1);
  CHECK(std::ranges::is_sorted(told));
  CHECK(of >= 201);
  told.clear();
  CHECK(search_rows(made.open(), request)->total == 200);
  CHECK(told.empty());
}

TEST_CASE("a search that is cancelled while it indexes leaves an index that is good", "[search]") {
  const MadeCache cache;
  MadeWorkspace made;
  write_notes(made);
  const std::atomic<bool> cancelled = true;
  {
    const Budget budget({.cancelled = &cancelled});
    const auto answer = search_rows(made.open(), {.text = "lantern"});
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::cancelled);
  }
  CHECK(found(made.open(), {.text = "lantern"}) == Names{"a/1", "a/2"});
}

TEST_CASE("without a cache the answers are the same and nothing is left behind", "[search]") {
  const MadeCache cache;
  MadeWorkspace made(false);
  write_notes(made);
  CHECK(found(made.open(), {.text = "lantern"}) == Names{"a/1", "a/2"});
  CHECK(cache.index().empty());
}

}  // namespace
}  // namespace notesdb
