// What related rows add: fields reached through relations, rollups, and the groups of a board.
#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "database/questions.h"

namespace notesdb {
namespace {

void write_tracker(const MadeWorkspace& made) {
  made.write("people/_schema.yaml",
             "name: P\ncolumns:\n- {id: name, type: text}\n- {id: joined, type: date}\n"
             "- {id: boss, type: relation, target: people}\n");
  made.write("people/ann.md", "---\nname: Ann\njoined: 2020-05-01\nboss: ben\n---\n");
  made.write("people/ben.md", "---\nname: Ben\njoined: 2021-01-01\n---\n");
  made.write("tasks/_schema.yaml",
             "name: T\ncolumns:\n"
             "- {id: owner, type: relation, target: people}\n"
             "- {id: team, type: relation, target: people, multiple: true}\n"
             "- {id: parts, type: relation, target: tasks, multiple: true}\n"
             "- {id: hours, type: number}\n- {id: done, type: checkbox}\n"
             "- {id: status, type: select, options: [open, doing, done]}\n"
             "- {id: effort, type: rollup, relation: parts, field: hours, function: sum}\n"
             "- {id: mean, type: rollup, relation: parts, field: hours, function: average}\n"
             "- {id: part_count, type: rollup, relation: parts, function: count}\n"
             "- {id: progress, type: rollup, relation: parts, field: done, function: "
             "percent_checked}\n"
             "- {id: first, type: rollup, relation: team, field: joined, function: min}\n"
             "views:\n- {id: board, name: B, type: board, group_by: status}\n"
             "- {id: owned, name: O, type: table, columns: [owner.name, hours], filters: [{field: "
             "owner.name, operator: eq, value: Ann}]}\n");
  made.write("tasks/1.md",
             "---\nowner: '[[ann]]'\nteam: [ann, ben]\nparts: [2, tasks/3]\nstatus: done\n---\n");
  made.write("tasks/2.md", "---\nowner: ben\nhours: 2\ndone: true\nstatus: open\n---\n");
  made.write("tasks/3.md", "---\nhours: 3\nparts: [gone]\nstatus: done\n---\n");
}

TEST_CASE("fields are reached through a relation", "[database]") {
  MadeWorkspace made;
  write_tracker(made);
  const Database& tasks = made.database("tasks");
  CHECK(ids(tasks.query(where("owner.name", "eq", "Ann"))) == std::vector<std::string>{"1"});
  CHECK(ids(tasks.query(where("team.name", "contains", "ben"))) == std::vector<std::string>{"1"});
  CHECK(ids(tasks.query(where("owner.boss.name", "eq", "Ben"))) == std::vector<std::string>{"1"});
  CHECK(ids(tasks.query(where("owner.joined", "gt", "2020-12-31"))) ==
        std::vector<std::string>{"2"});
  QueryRequest request;
  request.select = {"owner.name", "team.joined"};
  request.sort = Map{{"field", "owner.name"}, {"direction", "desc"}};
  const auto answer = tasks.query(request);
  CHECK(ids(answer) == std::vector<std::string>{"2", "1", "3"});
  CHECK(answer->rows[1].fields ==
        Map{{"owner.name", "Ann"}, {"team.joined", List{"2020-05-01", "2021-01-01"}}});
  CHECK(answer->rows[2].fields.empty());
}

TEST_CASE("a field that the related database lacks is refused by name", "[database]") {
  MadeWorkspace made;
  write_tracker(made);
  const auto refused = made.database("tasks").query(where("owner.nme", "eq", "Ann"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::unknown_field);
  CHECK(refused.error().message.find(
            "'people', to which the relation 'owner' leads, has no field 'nme'") !=
        std::string::npos);
}

TEST_CASE("rollups are computed on reading, and filter and sort like columns", "[database]") {
  MadeWorkspace made;
  write_tracker(made);
  Database& tasks = made.database("tasks");
  const auto row = tasks.get("1");
  REQUIRE(row);
  const Value fields(row->fields);
  CHECK(*fields.find("effort") == Value(5));
  CHECK(*fields.find("mean") == Value(2.5));
  CHECK(*fields.find("part_count") == Value(2));
  CHECK(*fields.find("progress") == Value(50));
  CHECK(*fields.find("first") == Value("2020-05-01"));
  CHECK(ids(tasks.query(where("effort", "gte", 5))) == std::vector<std::string>{"1"});
  CHECK(ids(tasks.query(where("first", "lt", "2021-01-01"))) == std::vector<std::string>{"1"});
  QueryRequest request;
  request.sort = Map{{"field", "part_count"}, {"direction", "desc"}};
  CHECK(ids(tasks.query(request)) == std::vector<std::string>{"1", "2", "3"});

  made.write("tasks/2.md", "---\nhours: 10\n---\n");
  CHECK(ids(tasks.query(where("effort", "eq", 13))) == std::vector<std::string>{"1"});
  RowChange change;
  change.row_id = "1";
  change.fields = Map{{"effort", 1}};
  CHECK(made.writer("tasks").update(change).error().code == ErrorCode::invalid_value);
}

TEST_CASE("groups and metrics reach through relations", "[database]") {
  MadeWorkspace made;
  write_tracker(made);
  AggregateRequest request;
  request.group_by = {"owner.name"};
  request.metrics = List{Map{{"function", "count"}}, Map{{"function", "max"}, {"field", "effort"}}};
  const auto answer = made.database("tasks").aggregate(request);
  REQUIRE(answer);
  REQUIRE(answer->groups.size() == 3);
  CHECK(answer->groups[1] == Map{{"owner.name", "Ann"}, {"count", 1}, {"max_effort", 5}});
}

TEST_CASE("a view may name fields of related rows, a board counts its groups", "[database]") {
  MadeWorkspace made;
  write_tracker(made);
  QueryRequest request;
  request.view = "owned";
  const auto owned = made.database("tasks").query(request);
  CHECK(ids(owned) == std::vector<std::string>{"1"});
  CHECK(owned->rows[0].fields == Map{{"owner.name", "Ann"}});
  request.view = "board";
  request.limit = 1;
  const auto board = made.database("tasks").query(request);
  REQUIRE(board);
  CHECK(board->groups == std::vector<Map>{Map{{"status", "open"}, {"count", 1}},
                                          Map{{"status", "done"}, {"count", 2}}});
}

TEST_CASE("databases that roll each other up end somewhere", "[database]") {
  MadeWorkspace made;
  made.write("a/_schema.yaml",
             "name: A\ncolumns:\n- {id: b, type: relation, target: b}\n"
             "- {id: x, type: rollup, relation: b, field: y, function: sum}\n");
  made.write("b/_schema.yaml",
             "name: B\ncolumns:\n- {id: a, type: relation, target: a}\n"
             "- {id: y, type: rollup, relation: a, field: x, function: sum}\n");
  made.write("a/1.md", "---\nb: 1\n---\n");
  made.write("b/1.md", "---\na: 1\n---\n");
  CHECK(ids(made.database("a").query({})) == std::vector<std::string>{"1"});
}

}  // namespace
}  // namespace notesdb
