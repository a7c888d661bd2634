// An index file never changes an answer: not after outside edits, and not when it is damaged.
#include <fstream>
#include <random>
#include <thread>

#include <catch2/catch.hpp>

#include "database/made_workspace.h"

namespace notesdb {
namespace {

namespace fs = std::filesystem;

constexpr int row_count = 300;  // more than the fewest that are saved

std::string row_bytes(int number) {
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
    std::this_thread::sleep_for(std::chrono::milliseconds(2200));
  }
  static std::string row(int number) { return "tasks/row-" + std::to_string(number) + ".md"; }

  fs::path index() const {
    for (const auto& entry : fs::directory_iterator(cache_.path()))
      return entry.path();
    return {};
  }
  bool has_index() const { return !index().empty(); }
  std::string index_bytes() const {
    std::ifstream stream(index(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
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

  MadeWorkspace made;

 private:
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
    return text + " " + std::to_string(answer->total);
  }
  TemporaryFolder cache_;
};

TEST_CASE("an index file is written outside the workspace and only with the cache on",
          "[index]") {
  Indexed indexed;
  indexed.truth();
  CHECK_FALSE(indexed.has_index());
  const auto before = indexed.made.files();
  indexed.shown();
  CHECK(indexed.has_index());
  CHECK(indexed.made.files() == before);
  CHECK_FALSE(indexed.made.has_trace());
}

TEST_CASE("answers out of an index file equal those of a fresh read under outside edits",
          "[index]") {
  Indexed indexed;
  REQUIRE(indexed.shown() == indexed.truth());
  REQUIRE(indexed.has_index());
  std::mt19937 random(11);  // NOLINT(cert-msc51-cpp): the same run every time
  for (int step = 0; step < 150; ++step) {
    for (unsigned i = 0; i < random() % 4; ++i) {
      const std::string row = Indexed::row(static_cast<int>(random() % (row_count + 20)));
      const auto full = indexed.made.root() / row;
      switch (random() % 4) {
        case 0: fs::remove(full); break;
        case 1: {
          const bool was_there = fs::exists(full);
          const auto stamp = was_there ? fs::last_write_time(full) : fs::file_time_type();
          indexed.made.write(row, row_bytes(static_cast<int>(random() % 1000)));
          if (was_there) fs::last_write_time(full, stamp);
          break;
        }
        case 2: {
          const auto other =
              indexed.made.root() / Indexed::row(static_cast<int>(random() % row_count));
          if (fs::exists(full)) fs::rename(full, other);
          break;
        }
        default: indexed.made.write(row, "no front matter\n");
      }
    }
    if (step == 75) {
      std::string schema(task_schema);
      schema.insert(schema.find("  - {id: due"), "  - {id: more, type: text}\n");
      indexed.made.write("tasks/_schema.md", schema);
    }
    REQUIRE(indexed.shown() == indexed.truth());
  }
}

TEST_CASE("a damaged index file is as good as none", "[index]") {
  Indexed indexed;
  const std::string truth = indexed.truth();
  indexed.shown();
  REQUIRE(indexed.has_index());
  const fs::path path = indexed.index();
  const std::string whole = indexed.index_bytes();
  const auto damage = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    REQUIRE(indexed.shown() == truth);
  };
  std::mt19937 random(5);  // NOLINT(cert-msc51-cpp): the same run every time
  for (int i = 0; i < 40; ++i)
    damage(whole.substr(0, random() % whole.size()));
  for (int i = 0; i < 80; ++i) {
    std::string bytes = whole;
    bytes[i < 60 ? static_cast<std::size_t>(i) : random() % bytes.size()] ^=
        static_cast<char>(1U << (random() % 8));
    damage(bytes);
  }
  damage("");
  damage(whole + "x");
  damage("another program's file");
  fs::remove(path);
  fs::create_directory(path);
  CHECK(indexed.shown() == truth);
}

TEST_CASE("the next process reads only what changed since the index file was written",
          "[index]") {
  Indexed indexed;
  indexed.shown();
  const auto written = fs::last_write_time(indexed.index());
  indexed.made.write(Indexed::row(5), row_bytes(905));
  CHECK(indexed.shown() == indexed.truth());
  CHECK(fs::last_write_time(indexed.index()) == written);
}

}  // namespace
}  // namespace notesdb
