// A batch sees what its operations before have done, and asks the disk no more often for many.
#include <catch2/catch.hpp>

#include "database/made_workspace.h"
#include "database/write_rows.h"
#include "files/disk.h"
#include "files/pending_files.h"

namespace notesdb {
namespace {

// Counts how often somebody wants to know which files a folder has, or whether they have changed.
class CountedFiles : public PendingFiles {
 public:
  using PendingFiles::PendingFiles;

  Result<std::vector<Entry>> list(std::string_view folder) const override {
    ++looks;
    return PendingFiles::list(folder);
  }
  Result<void> stat_all(std::string_view folder,
                        std::span<const char* const> names,
                        std::span<FileStat> out) const override {
    ++looks;
    return PendingFiles::stat_all(folder, names, out);
  }

  mutable int looks = 0;
};

BatchOperation insertion(const std::string& title, const std::string& code) {
  BatchOperation operation;
  operation.action = RowAction::insert;
  operation.database_id = "tasks";
  operation.row.fields = {{"title", title}, {"code", code}};
  return operation;
}

BatchOperation change(const std::string& row_id, Map fields) {
  BatchOperation operation;
  operation.action = RowAction::update;
  operation.database_id = "tasks";
  operation.change = {.row_id = row_id, .fields = std::move(fields)};
  return operation;
}

std::string letters(int number) {
  return {static_cast<char>('A' + number / 26), static_cast<char>('A' + number % 26)};
}

std::string row_number(int number) {
  return "row-" + std::to_string(100 + number);
}

template <typename Make>
std::vector<BatchOperation> operations(int count, const Make& make) {
  std::vector<BatchOperation> made;
  for (int number = 0; number < count; ++number)
    made.push_back(make(number));
  return made;
}

std::string schema_without_counter() {
  std::string schema(task_schema);
  schema.erase(schema.find("next_row_id: 1\n"), 15);
  return schema;
}

int looks_of(const std::vector<BatchOperation>& batch,
             const std::string& schema = schema_without_counter()) {
  MadeWorkspace made;
  made.write("tasks/_schema.md", schema);
  for (int number = 0; number < 30; ++number)
    made.write("tasks/" + row_number(number) + ".md",
               "---\ntitle: T\ncode: Z" + letters(number) + "\n---\n");
  const auto disk = Disk::open(made.root().string());
  REQUIRE(disk);
  auto counted = std::make_unique<CountedFiles>(**disk);
  const CountedFiles& files = *counted;
  Workspace workspace(std::move(counted), made.settings());
  const auto done = run_batch(workspace, batch, std::nullopt, WriteMode::dry_run);
  REQUIRE(done);
  CHECK(done->applied == static_cast<std::int64_t>(batch.size()));
  return files.looks;
}

TEST_CASE("the folder is looked at as often for many operations as for a few", "[database]") {
  const auto inserts = [](int number) { return insertion("New", "N" + letters(number)); };
  const auto keys = [](int number) { return change(row_number(number), {{"due", "2026-01-01"}}); };
  const auto codes = [](int number) {
    return change(row_number(number), {{"code", "C" + letters(number)}});
  };
  CHECK(looks_of(operations(30, inserts)) == looks_of(operations(3, inserts)));
  const std::string counting(task_schema);
  CHECK(looks_of(operations(30, inserts), counting) == looks_of(operations(3, inserts), counting));
  CHECK(looks_of(operations(30, keys)) == looks_of(operations(3, keys)));
  CHECK(looks_of(operations(30, codes)) == looks_of(operations(3, codes)));
}

TEST_CASE("a relation that says a row's id is looked up without a listing", "[database]") {
  const auto inserts = [](int number) { return insertion("New", "N" + letters(number)); };
  const auto linked = [&](int number) {
    BatchOperation operation = inserts(number);
    operation.row.fields.push_back({"parent", "[[" + row_number(number) + "|it]]"});
    return operation;
  };
  const auto unlinked = [&](int number) {
    BatchOperation operation = inserts(number);
    operation.row.fields.push_back({"parent", "[[Row-100]]"});  // found by folding its name
    return operation;
  };
  CHECK(looks_of(operations(4, linked)) == looks_of(operations(4, inserts)));
  CHECK(looks_of(operations(4, unlinked)) > looks_of(operations(4, inserts)));
}

TEST_CASE("ids and values that a batch takes are taken for what follows", "[database]") {
  MadeWorkspace made;
  made.write("tasks/_schema.md", schema_without_counter());
  made.write("tasks/row-007.md", "---\ntitle: Seven\ncode: OLD\n---\n");
  const auto refused = run_batch(made.open(),
                                 {insertion("One", "NEW"), insertion("Two", "NEW")},
                                 std::nullopt,
                                 WriteMode::write);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("row-008") != std::string::npos);
  // What a row has given up is free.
  const auto both = run_batch(
      made.open(),
      {change("row-007", {{"code", "GONE"}}), insertion("One", "OLD"), insertion("Two", "B")},
      std::nullopt,
      WriteMode::write);
  REQUIRE(both);
  CHECK(both->outcomes[1].row_id == "row-008");
  CHECK(both->outcomes[2].row_id == "row-009");
  CHECK(made.read("tasks/row-008.md") == "---\ntitle: One\ncode: OLD\n---\n");
}

}  // namespace
}  // namespace notesdb
