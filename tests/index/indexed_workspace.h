// A workspace of a few hundred rows, good and bad, whose index file lies beside it; and what it
// answers, as text that two ways of answering can be compared by.
#pragma once

#include <fstream>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"

namespace notesdb {

inline constexpr int row_count = 300;  // more than the fewest that are saved

inline std::string row_bytes(int number) {
  const std::string n = std::to_string(number);
  if (number % 50 == 7) return "---\ntitle: broken: " + n + "\nestimate: " + n + "\n---\n";
  if (number % 90 == 11) return "---\nnever closed " + n + "\n";
  return "---\ntitle: Task " + n + "\nstatus: " + (number % 3 == 0 ? "done" : "'open'") +
         "\nestimate: " + std::to_string(number % 7) + "\ntags: [a, 'c, d']\nextra: " + n +
         "\n---\nbody " + n + "\n";
}

// A workspace whose index file lies beside it, all rows old enough to be sure of.
class Indexed {
 public:
  Indexed() {
    made.settings().cache_folder = cache_.path();
    made.write("tasks/_schema.md", task_schema);
    for (int i = 0; i < row_count; ++i)
      made.write(row(i), row_bytes(i));
    wait_until_sure();
  }
  static void wait_until_sure() { std::this_thread::sleep_for(std::chrono::milliseconds(2200)); }
  static std::string row(int number) { return "tasks/row-" + std::to_string(number) + ".md"; }

  std::filesystem::path index() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cache_.path()))
      if (entry.path().extension() == ".index") return entry.path();
    return {};
  }
  bool has_index() const { return !index().empty(); }
  std::string index_bytes() const {
    std::ifstream stream(index(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void add_column() const {
    std::string schema(task_schema);
    schema.insert(schema.find("  - {id: due"), "  - {id: more, type: text}\n");
    made.write("tasks/_schema.md", schema);
  }
  // What a process that has just begun answers.
  std::string shown() const {
    const auto workspace = made.open_anew();
    return show(*workspace);
  }
  // The same without any memory.
  std::string truth() const {
    Settings settings;
    settings.root.value = made.root().string();
    settings.cache.value = false;
    auto workspace = Workspace::open(settings);
    return show(**workspace);
  }

  // The questions that are asked of all.
  static std::string show(Workspace& workspace) {
    Database& database = **workspace.get("tasks");
    std::string text;
    const auto answer = database.query(
        {.filters = triple("estimate", "gte", 2), .sort = Value("title"), .limit = 1000});
    REQUIRE(answer);
    for (const Row& row : answer->rows) {
      text += row.id + " " + to_text(row.etag) + " " + to_display(row.fields) + "\n";
    }
    for (const Issue& issue : answer->issues)
      text += to_text(issue) + "\n";
    const auto summary = database.summary();
    text += std::to_string(summary->row_count) + " " + std::to_string(summary->issue_count);
    const auto schema = database.schema();
    for (const auto& [key, count] : schema->undeclared) {
      text += " " + key + std::to_string(count);
    }
    const auto page =
        database.query({.filters = triple("status", "eq", "done"),
                        .sort = List{Map{{"field", "estimate"}, {"direction", "desc"}}, "title"},
                        .limit = 7,
                        .offset = 3});
    for (const Row& row : page->rows)
      text += " " + row.id;
    const auto groups = database.aggregate({.group_by = {"status"}});
    for (const Map& group : groups->groups)
      text += " " + to_display(group);
    return text + " " + std::to_string(answer->total) + " " + std::to_string(page->total);
  }

  MadeWorkspace made;

 private:
  TemporaryFolder cache_;
};

}  // namespace notesdb
