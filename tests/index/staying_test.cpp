// A process that stays answers what a fresh read would, whatever other programs do meanwhile.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/threads.h"
#include "files/disk.h"
#include "files/watch.h"
#include "index/follower.h"
#include "index/indexed_workspace.h"
#include "index/outside_edits.h"
#include "index/row_cache.h"
#include "index/row_table.h"

namespace notesdb {
namespace {

namespace fs = std::filesystem;

// A workspace that one process has open for long.
class Stayed : public Indexed {
 public:
  Stayed() : workspace_(made.open_anew()) { workspace_->stay(); }
  std::string stayed() const { return show(*workspace_); }
  Workspace& workspace() { return *workspace_; }

 private:
  std::unique_ptr<Workspace> workspace_;
};

void save(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

// `edits` outside edits, a question after a few of them most times, after many sometimes.
void keep_in_step(int edits, unsigned seed) {
  Stayed stayed;
  OutsideEdits outside(stayed.made.root() / "tasks", seed);
  std::mt19937 random(seed);
  REQUIRE(stayed.stayed() == stayed.truth());
  for (int done = 0; done < edits;) {
    const unsigned most = random() % 4 == 0 ? 120 : 6;
    for (auto some = random() % most; some > 0; --some, ++done)
      outside.edit();
    if (random() % 100 == 0) stayed.add_column();
    if (random() % 100 == 0) stayed.made.write("tasks/_schema.md", task_schema);
    const std::string truth = stayed.truth();
    REQUIRE(stayed.stayed() == truth);
    if (random() % 16 == 0) REQUIRE(stayed.shown() == truth);
  }
}

// A short dose; the target index_law says how many with NOTESDB_EDITS.
TEST_CASE("answers of a process that stays equal those of a fresh read under outside edits",
          "[index]") {
  const char* wanted = std::getenv("NOTESDB_EDITS");  // NOLINT(concurrency-mt-unsafe)
  const int edits = wanted == nullptr ? 500 : std::stoi(wanted);
  constexpr int at_once = 50'000;
  for (int done = 0; done < edits; done += at_once) {
    keep_in_step(std::min(at_once, edits - done), static_cast<unsigned>(done) + 3);
    if (wanted != nullptr) {
      std::cout << std::min(done + at_once, edits) << " edits, every answer equal" << std::endl;
    }
  }
}

TEST_CASE("a folder that is listed twice before it is read keeps what could not be read",
          "[index]") {
  Indexed indexed;
  FileSystem& files = indexed.made.open().files();
  const auto folder = DatabaseFolder::read(files, "tasks");
  REQUIRE(folder);
  const auto listing = (*folder)->list_rows(files);
  REQUIRE(listing);
  RowTable table(files, *folder);
  table.take_listing(*listing);
  REQUIRE(table.refresh());
  const std::size_t unreadable = table.unreadable_count();
  REQUIRE(unreadable > 0);
  table.take_listing(*listing);
  table.take_listing(*listing);
  REQUIRE(table.refresh());
  CHECK(table.unreadable_count() == unreadable);
}

TEST_CASE("a second file of an id whose first cannot be read is not a row of its own", "[index]") {
  Stayed stayed;
  stayed.made.write("tasks/twice.md", "---\nnever closed\n");
  CHECK(stayed.stayed() == stayed.truth());
  stayed.made.write("tasks/twice.yaml", "title: Second\n");
  CHECK(stayed.stayed() == stayed.truth());
  fs::remove(stayed.made.root() / "tasks/twice.md");
  CHECK(stayed.stayed() == stayed.truth());
}

TEST_CASE("values that no row has any more are let go of while a process stays", "[index]") {
  MadeWorkspace made;
  made.write("tasks/_schema.md", task_schema);
  const auto disk = Disk::open(made.root().string());
  REQUIRE(disk);
  Watch watch((*disk)->root());
  Follower follower(watch);
  RowCache cache(**disk, "tasks", {.follower = &follower});
  const auto values = [&] {
    const ForgettingLock guard(cache);
    REQUIRE(cache.folder());
    const auto table = cache.rows();
    REQUIRE(table);
    return (*table)->value_count(0);
  };
  values();
  for (int number = 0; number < 1200; ++number) {
    made.write("tasks/one.md", "---\ntitle: T" + std::to_string(number) + "\n---\n");
    values();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(750));
  cache.rescan();
  CHECK(values() < 1000);
}

TEST_CASE("a folder that is moved away, and another in its place, are noticed at once", "[index]") {
  Stayed stayed;
  const fs::path root = stayed.made.root();
  const std::string before = stayed.stayed();
  fs::rename(root / "tasks", root / "away");
  CHECK_FALSE(stayed.workspace().get("tasks"));
  stayed.made.write("tasks/_schema.md", task_schema);
  stayed.made.write("tasks/row-1.md", row_bytes(1));
  CHECK(stayed.stayed() == stayed.truth());
  fs::remove_all(root / "tasks");
  fs::rename(root / "away", root / "tasks");
  CHECK(stayed.stayed() == before);
  stayed.made.write("tasks/row-1.md", row_bytes(2));
  CHECK(stayed.stayed() == stayed.truth());
}

TEST_CASE("a folder above the database that is renamed is noticed at once", "[index]") {
  MadeWorkspace made;
  made.write("a/tasks/_schema.md", task_schema);
  made.write("a/tasks/one.md", "---\ntitle: One\n---\n");
  made.write("b/tasks/_schema.md", task_schema);
  made.open().stay();
  const auto ids = [&] { return *made.database("a/tasks").row_ids(); };
  CHECK(ids() == std::vector<std::string>{"one"});
  fs::rename(made.root() / "a", made.root() / "c");
  fs::rename(made.root() / "b", made.root() / "a");
  CHECK(ids().empty());
  made.write("a/tasks/two.md", "---\ntitle: Two\n---\n");
  CHECK(ids() == std::vector<std::string>{"two"});
}

TEST_CASE("rows in folders below are followed, new folders too", "[index]") {
  MadeWorkspace made;
  std::string schema(task_schema);
  schema.insert(schema.find("columns:"), "rows: {include: ['**/*.md']}\n");
  made.write("tasks/_schema.md", schema);
  made.write("tasks/2026/one.md", "---\ntitle: One\n---\n");
  made.open().stay();
  const auto ids = [&] { return *made.database("tasks").row_ids(); };
  CHECK(ids() == std::vector<std::string>{"2026/one"});
  made.write("tasks/2027/a/two.md", "---\ntitle: Two\n---\n");
  CHECK(ids() == std::vector<std::string>{"2026/one", "2027/a/two"});
  made.write("tasks/2027/a/three.md", "---\ntitle: Three\n---\n");
  CHECK(ids().size() == 3);
  made.write("tasks/2027/_schema.md", task_schema);
  CHECK(ids() == std::vector<std::string>{"2026/one"});
  fs::remove_all(made.root() / "tasks/2026");
  CHECK(ids().empty());
}

TEST_CASE("more edits than the kernel's queue holds are answered as by a fresh read", "[index]") {
  Stayed stayed;
  const fs::path folder = stayed.made.root() / "tasks";
  stayed.stayed();
  for (int i = 0; i < 9'000; ++i)
    save(folder / ("row-" + std::to_string(i % 200) + ".md"), row_bytes(i % 1000));
  CHECK(stayed.stayed() == stayed.truth());
}

TEST_CASE("a store through a memory map is seen within two seconds", "[index]") {
  Stayed stayed;
  const fs::path file = stayed.made.root() / Indexed::row(1);
  stayed.stayed();
  const int opened = ::open(file.c_str(), O_RDWR);
  REQUIRE(opened >= 0);
  void* mapped = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  REQUIRE(mapped != MAP_FAILED);
  static_cast<char*>(mapped)[11] = 'X';  // in the title
  std::this_thread::sleep_for(std::chrono::milliseconds(2000));
  CHECK(stayed.stayed() == stayed.truth());
  ::munmap(mapped, 4096);
  ::close(opened);
}

}  // namespace
}  // namespace notesdb
