// Changes that another program overtakes: they are made again, and what became of its versions in
// between is said by the answer that ends them.
#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "database/write_rows.h"
#include "files/names.h"
#include "files/watched_calls.h"

namespace notesdb {
namespace {

constexpr const char* row = "tasks/one.md";

// A row that two other programs save while we change it for the first time: one just before the
// exchange, and one before the exchange back, whose version finds its place taken.
class TwiceOvertaken {
 public:
  TwiceOvertaken() {
    made.write("tasks/_schema.md", task_schema);
    made.write(row, "---\ntitle: One\n---\n");
    calls.at("exchange", 1, [this] { save("Theirs"); });
    calls.at("exchange", 2, [this] { save("Third"); });
  }

  // As sed -i and most sync programs save.
  void save(const std::string& title) const {
    made.write("tasks/sedAbCdEf", "---\ntitle: " + title + "\n---\n");
    std::filesystem::rename(made.root() / "tasks/sedAbCdEf", made.root() / row);
  }

  // The name of the only conflict copy.
  std::string copy() const {
    for (const auto& [path, bytes] : made.files()) {
      if (is_conflict_copy(name_in(path))) return std::string(name_in(path));
    }
    return "none";
  }

  MadeWorkspace made;
  WatchedCalls calls;
};

void check_told(const TwiceOvertaken& trial, const std::vector<std::string>& notes) {
  REQUIRE(notes.size() == 1);
  CHECK(notes.front() == "another program's version was saved as '" + trial.copy() + "'");
}

TEST_CASE("an update that is made again says which version was put aside meanwhile", "[database]") {
  TwiceOvertaken trial;
  const auto done =
      trial.made.writer("tasks").update({.row_id = "one", .fields = {{"status", "open"}}});
  REQUIRE(done);
  CHECK(trial.made.read(row) == "---\ntitle: Theirs\nstatus: open\n---\n");
  check_told(trial, done->warnings);
}

TEST_CASE("a refusal as stale says it too", "[database]") {
  TwiceOvertaken trial;
  const auto etag = trial.made.database("tasks").get("one")->etag;
  const auto refused = trial.made.writer("tasks").update(
      {.row_id = "one", .etag = etag, .fields = {{"status", "open"}}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.rfind("CONFLICT: ", 0) == 0);
  CHECK(refused.error().message.find(trial.copy()) != std::string::npos);
  REQUIRE(refused.error().data.find("row") != nullptr);
  REQUIRE(refused.error().data.find("warnings") != nullptr);
  check_told(trial, {refused.error().data.find("warnings")->list().front().text()});
}

TEST_CASE("so does a batch", "[database]") {
  TwiceOvertaken trial;
  BatchOperation operation;
  operation.action = RowAction::update;
  operation.database_id = "tasks";
  operation.change = {.row_id = "one", .fields = {{"status", "open"}}};
  const auto done = run_batch(trial.made.open(), {operation}, std::nullopt, WriteMode::write);
  REQUIRE(done);
  check_told(trial, done->warnings);
}

TEST_CASE("a delete that is made again says it", "[database]") {
  MadeWorkspace made;
  made.write("tasks/_schema.md", task_schema);
  made.write(row, "---\ntitle: One\n---\n");
  WatchedCalls calls;
  const auto save = [&](const std::string& bytes) {
    made.write("tasks/sedAbCdEf", bytes);
    std::filesystem::rename(made.root() / "tasks/sedAbCdEf", made.root() / row);
  };
  calls.at("move", 1, [&] { save("---\ntitle: Theirs\n---\n"); });
  calls.at("move", 2, [&] { save("---\ntitle: Third\n---\n"); });
  const auto done = made.writer("tasks").remove("one", std::nullopt);
  REQUIRE(done);
  REQUIRE(done->warnings.size() == 1);
  CHECK(done->warnings.front().find("saved as 'one (conflict ") != std::string::npos);
}

}  // namespace
}  // namespace notesdb
