#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "database/query_plan.h"

namespace notesdb {
namespace {

QueryRequest asking(Value filters) {
  QueryRequest request;
  request.filters = std::move(filters);
  return request;
}

class Planned {
 public:
  Planned() { made.write("tasks/_schema.md", task_schema); }

  PlanCache::Folder folder() { return *(*made.open().get("tasks"))->folder(); }
  // Whether the plan of a request is the one that was made for it before.
  bool is_kept(const QueryRequest& request) {
    const auto now = folder();
    const auto first = plans.of(request, now);
    const auto second = plans.of(request, now);
    REQUIRE(first);
    REQUIRE(second);
    return *first == *second;
  }

  MadeWorkspace made;
  PlanCache plans;
};

TEST_CASE("a plan is kept for the same request and no other", "[database]") {
  Planned planned;
  const auto folder = planned.folder();
  const QueryRequest request = asking(List{triple("status", "eq", "open")});
  CHECK(planned.is_kept(request));
  const auto plan = *planned.plans.of(request, folder);
  std::vector<QueryRequest> others(5, request);
  others[0].filters = List{triple("status", "eq", "done")};
  others[1].sort = List{Map{{"field", "due"}}};
  others[2].select = {"title"};
  others[3].limit = 3;
  others[4].include_body = true;
  for (const QueryRequest& other : others)
    CHECK(*planned.plans.of(other, folder) != plan);
  CHECK(*planned.plans.of(request, folder) == plan);
  for (int limit = 100; limit < 120; ++limit) {
    QueryRequest other = request;
    other.limit = limit;
    CHECK((*planned.plans.of(other, folder))->query.page.limit == static_cast<std::size_t>(limit));
  }
  CHECK(*planned.plans.of(request, folder) != plan);  // few are kept
}

TEST_CASE("no plan is kept that may count from the clock, or is long or wrong", "[database]") {
  Planned planned;
  CHECK(planned.is_kept(asking(List{triple("due", "lt", "2026-01-31")})));
  CHECK_FALSE(planned.is_kept(asking(List{triple("due", "lt", "today+7d")})));
  CHECK_FALSE(planned.is_kept(asking(List{triple("due", "eq", "today")})));
  CHECK_FALSE(planned.is_kept(asking(triple("_modified", "gt", "now-2h"))));
  CHECK_FALSE(planned.is_kept(
      asking(List{Map{{"any", List{triple("due", "in", List{"2026-01-31", "now"})}}}})));
  CHECK_FALSE(planned.is_kept(asking(List{triple("title", "eq", std::string(5000, 'x'))})));
  const QueryRequest wrong = asking(List{triple("nothing", "eq", 1)});
  CHECK_FALSE(planned.plans.of(wrong, planned.folder()));
  CHECK_FALSE(planned.plans.of(wrong, planned.folder()));
}

TEST_CASE("a plan of another schema is none", "[database]") {
  Planned planned;
  const QueryRequest request = asking(List{triple("status", "eq", "7")});
  const auto before = *planned.plans.of(request, planned.folder());
  CHECK(before->query.filter.all.front().front().field.family == Family::text);
  planned.made.write("tasks/_schema.md",
                     "---\nname: T\ncolumns:\n  - {id: status, type: number}\n---\n");
  const auto after = *planned.plans.of(request, planned.folder());
  CHECK(after->query.filter.all.front().front().field.family == Family::number);
}

TEST_CASE("a database that stays answers by the schema that it has now", "[database]") {
  MadeWorkspace made;
  made.write("tasks/_schema.md", task_schema);
  made.write("tasks/row-1.md", "---\ntitle: One\nstatus: \"7.0\"\n---\n");
  made.open().stay();
  const QueryRequest request = asking(List{triple("status", "eq", "7.0")});
  const Database& database = **made.open().get("tasks");
  for (int times = 0; times < 3; ++times)
    CHECK(database.query(request)->total == 1);
  made.write("tasks/_schema.md", "---\nname: T\ncolumns:\n  - {id: title, type: text}\n---\n");
  for (int times = 0; times < 3; ++times)
    CHECK_FALSE(database.query(request));
  made.write("tasks/_schema.md", task_schema);
  CHECK(database.query(request)->total == 1);
}

}  // namespace
}  // namespace notesdb
