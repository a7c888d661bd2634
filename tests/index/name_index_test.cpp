// What a table that stays remembers of its ids, and that new ids come out of it as out of all rows.
#include "index/name_index.h"

#include <algorithm>
#include <random>
#include <set>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "index/array.h"

namespace notesdb {
namespace {

TEST_CASE("an id that was added is there until it is removed, in any case", "[index]") {
  NameIndex names;
  std::multiset<std::string> truth;
  std::mt19937 random(5);
  std::size_t wrong = 0;
  for (int step = 0; step < 20'000; ++step) {
    const std::string id = (random() % 2 == 0 ? "Row-" : "rów-") + std::to_string(random() % 900);
    const auto known = truth.find(folded_id(id));
    if (random() % 3 != 0) {
      names.add(id);
      truth.insert(folded_id(id));
    } else if (known != truth.end()) {
      names.remove(id);
      truth.erase(known);
    }
    const std::string asked = "rOw-" + std::to_string(random() % 900);
    if (truth.contains(folded_id(asked))) REQUIRE(names.may_have(asked));
    wrong += names.may_have(asked) && !truth.contains(folded_id(asked)) ? 1 : 0;
  }
  CHECK(wrong < 20);
}

TEST_CASE("places are taken out of an array as they would be one by one", "[index]") {
  std::mt19937 random(9);
  for (int round = 0; round < 300; ++round) {
    Array<int> array;
    std::vector<int> truth;
    for (auto i = random() % 20; i > 0; --i) {
      array.push_back(static_cast<int>(random()));
      truth.push_back(array[array.size() - 1]);
    }
    std::vector<std::uint32_t> places;
    for (std::uint32_t place = 0; place < truth.size(); ++place)
      if (random() % 3 == 0) places.push_back(place);
    array.take_out(places);
    for (auto place = places.rbegin(); place != places.rend(); ++place)
      truth.erase(truth.begin() + *place);
    REQUIRE(std::ranges::equal(array.span(), truth));
  }
}

// The next number by looking at every id, as systems that fold names tell files apart.
std::string expected_id(const std::set<std::string>& ids, const std::string& prefix) {
  std::int64_t highest = 0;
  for (const std::string& id : ids) {
    const bool has_prefix = id.starts_with(prefix) && id.size() > prefix.size();
    const std::string rest = has_prefix ? id.substr(prefix.size()) : "x";
    if (rest.find_first_not_of("0123456789") == std::string::npos)
      highest = std::max<std::int64_t>(highest, std::stoll(rest));
  }
  const auto is_taken = [&](const std::string& wanted) {
    return std::ranges::any_of(
        ids, [&](const std::string& id) { return folded_id(id) == folded_id(wanted); });
  };
  std::string id;
  do {
    const std::string number = std::to_string(++highest);
    id = prefix + std::string(number.size() < 3 ? 3 - number.size() : 0, '0') + number;
  } while (is_taken(id));
  return id;
}

TEST_CASE("a new number is one above the highest of all rows, whatever they are called",
          "[index]") {
  const std::vector<std::string> starts{
      "task-", "task-0", "Task-", "TASK-00", "task", "tas", "task-1-", "a01-", "a1-", "zz"};
  std::mt19937 random(17);
  for (const std::string prefix : {"task-", "", "a1-", "v2"}) {
    for (int round = 0; round < 12; ++round) {
      MadeWorkspace made;
      made.write("t/_schema.yaml",
                 "name: T\ncolumns: [{id: title, type: text}]\nrow_id: {prefix: '" + prefix +
                     "', digits: 3}\n");
      std::set<std::string> ids;
      const auto write = [&] {
        std::string id = (random() % 2 == 0 ? prefix : starts[random() % starts.size()]) +
                         std::to_string(random() % 40) + (random() % 5 == 0 ? "x" : "");
        made.write("t/" + id + ".md", "---\ntitle: A\n---\n");
        ids.insert(id);
      };
      for (auto i = random() % 12; i > 0; --i)
        write();
      if (round % 2 == 0) made.open().stay();
      for (int step = 0; step < 6; ++step) {
        const std::string expected = expected_id(ids, prefix);
        const auto answer = made.writer("t").insert({.fields = {{"title", "New"}}});
        INFO(prefix << " " << round << " " << (answer ? "" : answer.error().message));
        REQUIRE(answer);
        REQUIRE(answer->row.id == expected);
        ids.insert(expected);
        write();
        const auto gone = ids.begin();
        std::filesystem::remove(made.root() / "t" / (*gone + ".md"));
        ids.erase(gone);
      }
    }
  }
}

TEST_CASE("rows have the same version as long as they are the same", "[index]") {
  MadeWorkspace made;
  made.write("t/_schema.yaml", "name: T\ncolumns: [{id: title, type: text}]\n");
  made.write("t/1.md", "---\ntitle: A\n---\n");
  made.write("t/2.md", "---\ntitle: B\n---\n");
  made.open().stay();
  const auto version = [&] { return *made.database("t").version(); };
  std::uint64_t before = version();
  CHECK(version() == before);
  const auto changes = [&](const auto& edit) {
    edit();
    const std::uint64_t now = version();
    return now != std::exchange(before, now);
  };
  CHECK(changes([&] { made.write("t/2.md", "---\ntitle: C\n---\n"); }));
  CHECK_FALSE(changes([&] { made.write("t/2.md", "---\ntitle: C\n---\n"); }));
  CHECK(changes([&] { made.write("t/3.md", "---\ntitle: D\n---\n"); }));
  CHECK(changes([&] { std::filesystem::remove(made.root() / "t/1.md"); }));
  CHECK(changes([&] { made.write("t/3.md", "---\nno end\n"); }));
  CHECK(changes([&] { made.write("t/3.md", "---\ntitle: D\n---\n"); }));
  CHECK_FALSE(changes([] {}));
}

}  // namespace
}  // namespace notesdb
