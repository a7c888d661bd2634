// Rollups over the rows that name a row: each function, how rows are named, and that what is kept is
// what a naive count of the files gives after any edits.
#include <map>
#include <random>
#include <set>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"

namespace notesdb {
namespace {

constexpr std::string_view people_schema =
    "name: P\ncolumns:\n- {id: name, type: text}\n"
    "- {id: count, type: rollup, from: stories.team, function: count}\n"
    "- {id: points, type: rollup, from: stories.team, field: points, function: sum}\n"
    "- {id: mean, type: rollup, from: stories.team, field: points, function: avg}\n"
    "- {id: least, type: rollup, from: stories.team, field: points, function: min}\n"
    "- {id: most, type: rollup, from: stories.team, field: double, function: max}\n"
    "- {id: kinds, type: rollup, from: stories.team, field: kind, function: count_distinct}\n"
    "- {id: names, type: rollup, from: stories.team, function: list}\n"
    "- {id: busy, type: formula, expression: points > 10}\n";

constexpr std::string_view stories_schema =
    "name: S\ncolumns:\n"
    "- {id: team, type: relation, target: people, multiple: true}\n"
    "- {id: points, type: number}\n- {id: kind, type: text}\n"
    "- {id: double, type: formula, expression: points * 2}\n";

Value field_of(const Row& row, std::string_view id) {
  const Value* found = find_member(row.fields, std::string(id));
  return found == nullptr ? Value() : *found;
}

// What a story says, as a model of its file.
struct Story {
  std::vector<std::string> people;
  std::optional<int> points;
  std::string kind;
};

using Stories = std::map<int, Story>;  // in the order of their ids: they are numbers

Map naive(const Stories& stories, const std::string& person) {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  List points;
  std::set<std::string> kinds;
  List names;
  for (const auto& [id, story] : stories) {
    if (std::ranges::find(story.people, person) == story.people.end()) continue;
    ++count;
    names.emplace_back(std::to_string(id));
    if (!story.kind.empty()) kinds.insert(story.kind);
    if (!story.points) continue;
    sum += *story.points;
    points.emplace_back(std::int64_t{*story.points});
  }
  const auto by_number = [](const Value& a, const Value& b) { return a.integer() < b.integer(); };
  const auto least = std::ranges::min_element(points, by_number);
  const auto most = std::ranges::max_element(points, by_number);
  const auto size = static_cast<double>(points.size());
  return {{"count", count},
          {"points", sum},
          {"mean", points.empty() ? Value() : Value(static_cast<double>(sum) / size)},
          {"least", points.empty() ? Value() : *least},
          {"most", points.empty() ? Value() : Value(2 * most->integer())},
          {"kinds", static_cast<std::int64_t>(kinds.size())},
          {"names", names.empty() ? Value() : Value(names)},
          {"busy", sum > 10}};
}

void write(const MadeWorkspace& made, int id, const Story& story, std::mt19937& random) {
  std::string team;
  for (const std::string& person : story.people) {
    const std::vector<std::string> spellings{
        person, "people/" + person, "'[[" + person + "]]'", "'[[people/" + person + "|X]]'"};
    team += (team.empty() ? "" : ", ") + spellings[random() % spellings.size()];
  }
  std::string fields = "team: [" + team + "]\n";
  if (story.points) fields += "points: " + std::to_string(*story.points) + "\n";
  if (!story.kind.empty()) fields += "kind: " + story.kind + "\n";
  made.write("stories/" + std::to_string(id) + ".md", "---\n" + fields + "---\n");
}

bool same(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return std::abs(a.number() - b.number()) < 1e-9;
  return a == b;
}

TEST_CASE("rollups over the rows that name a row are what a naive count gives",
          "[database][rollup]") {
  MadeWorkspace made;
  made.write("people/_schema.yaml", people_schema);
  made.write("stories/_schema.yaml", stories_schema);
  std::vector<std::string> people{"ann", "ben", "cid", "dee"};
  for (const std::string& person : people)
    made.write("people/" + person + ".md", "---\nname: x\n---\n");
  std::mt19937 random(7);
  Stories stories;
  const auto edit = [&] {
    const int id = 1 + static_cast<int>(random() % 30);
    if (random() % 5 == 0) {
      stories.erase(id);
      std::filesystem::remove(made.root() / ("stories/" + std::to_string(id) + ".md"));
      return;
    }
    Story story;
    for (const std::string& person : people)
      if (random() % 3 == 0) story.people.push_back(person);
    if (random() % 4 != 0) story.points = static_cast<int>(random() % 20) - 3;
    if (random() % 3 != 0) story.kind = "k" + std::to_string(random() % 4);
    stories[id] = story;
    write(made, id, story, random);
  };
  for (int round = 0; round < 150; ++round) {
    for (int edits = static_cast<int>(random() % 3); edits >= 0; --edits)
      edit();
    const auto answer = made.database("people").query({});
    REQUIRE(answer);
    REQUIRE(answer->rows.size() == people.size());
    for (const Row& row : answer->rows) {
      for (const Member& wanted : naive(stories, row.id)) {
        const Value found = field_of(row, wanted.key);
        INFO(round << " " << row.id << "." << wanted.key << ": " << to_display(found) << " is not "
                   << to_display(wanted.value));
        CHECK(same(found, wanted.value));
      }
    }
    const auto alone = made.database("people").get("ben");
    REQUIRE(alone);
    CHECK(same(field_of(*alone, "points"), find_member(naive(stories, "ben"), "points")[0]));
  }
}

TEST_CASE("a rollup from a relation filters, sorts and groups", "[database][rollup]") {
  MadeWorkspace made;
  made.write("people/_schema.yaml", people_schema);
  made.write("stories/_schema.yaml", stories_schema);
  for (const std::string person : {"ann", "ben", "cid"})
    made.write("people/" + person + ".md", "---\nname: x\n---\n");
  made.write("stories/1.md", "---\nteam: [ann]\npoints: 8\n---\n");
  made.write("stories/2.md", "---\nteam: [ann, ben, ann]\npoints: 5\n---\n");
  const Database& people = made.database("people");
  QueryRequest request;
  request.filters = List{triple("count", "gte", 1)};
  request.sort = "points:desc";
  request.select = {"points", "count"};
  const auto answer = people.query(request);
  REQUIRE(answer);
  REQUIRE(answer->rows.size() == 2);
  CHECK(answer->rows[0].id == "ann");
  CHECK(field_of(answer->rows[0], "points") == Value(13));
  CHECK(field_of(answer->rows[0], "count") == Value(2));
  AggregateRequest by_count;
  by_count.group_by = {"points"};
  const auto groups = people.aggregate(by_count);
  REQUIRE(groups);
  CHECK(groups->groups.size() == 3);
}

// A link may name a row by its file's name alone, whatever its folder.
TEST_CASE("a row is named by links as links are read everywhere", "[database][rollup]") {
  MadeWorkspace made;
  made.write(
      "people/_schema.yaml",
      "name: P\ncolumns:\n- {id: count, type: rollup, from: stories.owner, function: count}\n"
      "- {id: back, type: rollup, from: _backlinks, function: count}\n"
      "- {id: linking, type: rollup, from: _backlinks, function: list}\n"
      "rows: {include: ['**/*.md']}\n");
  made.write("stories/_schema.yaml",
             "name: S\ncolumns:\n- {id: owner, type: relation, target: people}\n");
  made.write("people/far/ann lee.md", "---\n---\n");
  made.write("stories/1.md", "---\nowner: '[[ann lee]]'\n---\n");
  const Database& people = made.database("people");
  const auto count = [&](std::string_view id, std::string_view column) {
    const auto row = people.get(id);
    REQUIRE(row);
    return field_of(*row, column);
  };
  CHECK(count("far/ann lee", "count") == Value(1));
  CHECK(count("far/ann lee", "back") == Value(1));
  CHECK(count("far/ann lee", "linking") == Value(List{"stories/1"}));
  made.write("people/ann lee.md", "---\n---\n");
  CHECK(count("ann lee", "count") == Value(1));
  CHECK(count("far/ann lee", "count") == Value(0));
}

}  // namespace
}  // namespace notesdb
