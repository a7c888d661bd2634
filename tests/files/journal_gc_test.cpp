// The trash: what is kept of earlier changes, for how long, and what goes first.
#include "files/journal_gc.h"

#include <filesystem>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "files/etag.h"
#include "files/temporary_folder.h"
#include "files/waiting_mark.h"

using namespace notesdb;

namespace {

constexpr std::int64_t hour = 3'600'000'000;
constexpr std::int64_t day = 24 * hour;
constexpr std::uint64_t block = 4'096;

// A folder whose changes are collected as if the clock said something else.
struct Trial {
  TemporaryFolder folder;
  std::unique_ptr<Disk> disk = folder.open();

  std::string replace(const std::string& path, const std::string& from, const std::string& to) {
    const Result<Written> written = disk->replace(path, etag_of(from), to);
    REQUIRE(written);
    return written->change;
  }

  void collect(const TrashLimits& limits, std::int64_t later = 0) {
    Result<Store> made = Store::make(disk->root());
    REQUIRE(made);
    const auto newest = disk->history("", 1);
    const std::int64_t now = newest->empty() ? later : newest->front().time_us + later;
    JournalGc gc(disk->root(), std::make_shared<Store>(std::move(*made)), limits, now);
    CHECK(gc.run([&] { return disk->lock(); }, JournalGc::Clock::time_point::max()));
  }

  std::size_t versions() const {
    std::size_t count = 0;
    for (const auto& each : std::filesystem::directory_iterator(folder.at(".notesdb/displaced")))
      count += each.path().filename().string().rfind("journal", 0) == 0 ? 0 : 1;
    return count;
  }

  TrashState state(const TrashLimits& limits) {
    Result<Store> made = Store::make(disk->root());
    REQUIRE(made);
    return trash_state(*made, limits, disk->history("", 1)->front().time_us);
  }
};

// Changes one row again and again.
void edit(Trial& trial, const std::string& path, int from, int to) {
  for (int i = from; i < to; ++i)
    trial.replace(path, std::to_string(i), std::to_string(i + 1));
}

}  // namespace

TEST_CASE("the trash forgets what is old, and saves what was written late", "[files]") {
  Trial trial;
  trial.folder.put("a.md", "1");
  trial.folder.put("b.md", "1");
  // An editor holds the row's file open while we replace it, and saves afterwards.
  const int editor = ::open(trial.folder.at("a.md").c_str(), O_RDONLY);
  trial.replace("a.md", "1", "2");
  trial.replace("b.md", "1", "2");
  const std::string again = "/proc/self/fd/" + std::to_string(editor);
  const int late = ::open(again.c_str(), O_WRONLY | O_TRUNC);
  REQUIRE(::write(late, "late", 4) == 4);
  ::close(late);
  ::close(editor);

  trial.collect({}, 29 * day);
  CHECK(trial.disk->history("", 10)->size() == 2);
  trial.collect({}, 30 * day + hour);
  CHECK(trial.disk->history("", 10)->empty());
  CHECK(trial.versions() == 0);
  const auto files = trial.folder.picture();
  REQUIRE(files.size() == 3);
  for (const auto& [name, bytes] : files) {
    INFO(name);
    CHECK((name == "a.md" || name == "b.md" || bytes == "late"));
    if (bytes == "late") CHECK(name.rfind("a (conflict ", 0) == 0);
  }
}

TEST_CASE("the newest change can be taken back however many files it had", "[files]") {
  constexpr int rows = 1'100;
  Trial trial;
  std::vector<Step> first;
  std::vector<Step> second;
  for (int i = 0; i < rows; ++i) {
    const std::string path = "row-" + std::to_string(i) + ".md";
    trial.folder.put(path, "0");
    first.push_back(Step::replace(path, etag_of("0"), "1"));
    second.push_back(Step::replace(path, etag_of("1"), "2"));
  }
  REQUIRE(trial.disk->apply(first));
  const Result<Written> done = trial.disk->apply(second);
  REQUIRE(done);
  trial.collect({.bytes = block});
  REQUIRE(trial.disk->apply(*trial.disk->undo_steps(done->change)));
  CHECK(trial.folder.get("row-0.md") == "1");
  CHECK(trial.folder.get("row-1099.md") == "1");
}

TEST_CASE("what no other change holds cannot be pushed out of the trash", "[files]") {
  Trial trial;
  trial.folder.put("precious.md", "precious");
  const Result<Written> removed = trial.disk->remove("precious.md", etag_of("precious"));
  REQUIRE(removed);
  trial.folder.put("scratch.md", "0");
  const std::string first = trial.replace("scratch.md", "0", "1");
  edit(trial, "scratch.md", 1, 60);
  // Another program's save, which we replace.
  trial.folder.put("scratch.md", "theirs");
  const std::string over_theirs = trial.replace("scratch.md", "theirs", "60");
  edit(trial, "scratch.md", 60, 120);

  trial.collect({.bytes = 40 * block});
  CHECK(trial.versions() < 40);
  CHECK(trial.versions() >= 12);  // three that must stay and the newest
  CHECK(trial.disk->undo_steps(removed->change));
  CHECK(trial.disk->undo_steps(first));
  CHECK(trial.disk->undo_steps(over_theirs));
  CHECK(trial.disk->read_kept(over_theirs + ".0")->bytes == "theirs");
  REQUIRE(trial.disk->apply(*trial.disk->undo_steps(removed->change)));
  CHECK(trial.folder.get("precious.md") == "precious");
}

TEST_CASE("a trash that is full of what must be kept refuses changes", "[files]") {
  Trial trial;
  trial.disk->limit_trash({.bytes = 20 * block});
  std::vector<std::string> removed;
  Result<Written> last = Written{};
  for (int i = 0; i < 30 && last; ++i) {
    const std::string path = "row-" + std::to_string(i) + ".md";
    trial.folder.put(path, path);
    last = trial.disk->remove(path, etag_of(path));
    if (last) removed.push_back(last->change);
  }
  REQUIRE_FALSE(last);
  CHECK(removed.size() >= 15);
  CHECK(last.error().code == ErrorCode::limit_exceeded);
  CHECK(last.error().message.find("trash_bytes") != std::string::npos);
  const auto before = trial.folder.picture();
  CHECK_FALSE(trial.disk->replace("row-" + std::to_string(removed.size()) + ".md",
                                  etag_of("row-" + std::to_string(removed.size()) + ".md"),
                                  "new"));
  CHECK(trial.folder.picture() == before);
  // What puts nothing aside continues, and so does undo.
  CHECK(trial.disk->create("new.md", "new"));
  for (const std::string& change : removed)
    CHECK(trial.disk->apply(*trial.disk->undo_steps(change)));
  CHECK(trial.folder.get("row-0.md") == "row-0.md");
}

TEST_CASE("a full trash makes place by what it need not keep", "[files]") {
  Trial trial;
  trial.disk->limit_trash({.bytes = 20 * block});
  trial.folder.put("row.md", "0");
  edit(trial, "row.md", 0, 200);  // nobody tidies between
  CHECK(trial.folder.get("row.md") == "200");
  CHECK(trial.versions() <= 25);
}

TEST_CASE("tidying goes on where it stopped, and leaves nothing", "[files]") {
  Trial trial;
  const TrashLimits limits{.bytes = 200 * block};
  trial.disk->limit_trash(limits);
  trial.folder.put("row.md", "0");
  edit(trial, "row.md", 0, 190);
  CHECK(trial.state(limits).is_gc_due);
  int rounds = 0;
  while (!trial.disk->tidy(std::chrono::milliseconds(0)))
    ++rounds;
  CHECK(rounds > 3);  // a version each, and one at least
  CHECK_FALSE(trial.state(limits).is_gc_due);
  CHECK(trial.versions() <= 150);
  CHECK(trial.disk->history("", 1'000)->size() == trial.versions());
}

TEST_CASE("tidying does not make a store that was removed", "[files]") {
  Trial trial;
  trial.folder.put("row.md", "0");
  edit(trial, "row.md", 0, 2);
  std::filesystem::remove_all(trial.folder.at(".notesdb"));
  CHECK(trial.disk->tidy(std::chrono::seconds(10)));
  CHECK_FALSE(trial.folder.has(".notesdb"));
}

TEST_CASE("what was appended while it was collected stays", "[files]") {
  Trial trial;
  trial.folder.put("row.md", "0");
  edit(trial, "row.md", 0, 100);
  Result<Store> made = Store::make(trial.disk->root());
  JournalGc gc(trial.disk->root(),
               std::make_shared<Store>(std::move(*made)),
               {.bytes = 50 * block},
               trial.disk->history("", 1)->front().time_us);
  const auto lock = [&] { return trial.disk->lock(); };
  CHECK_FALSE(gc.run(lock, JournalGc::Clock::time_point::min()));
  const std::string late = trial.replace("row.md", "100", "101");
  CHECK(gc.run(lock, JournalGc::Clock::time_point::max()));
  CHECK(trial.disk->history("", 1)->front().change == late);
  CHECK(trial.disk->history("", 1'000)->size() == trial.versions());
  CHECK(trial.state({}).kept >= trial.versions() * block);
  CHECK(trial.disk->undo_steps(late));
}

TEST_CASE("how much is kept is known from one change to the next", "[files]") {
  Trial trial;
  trial.folder.put("row.md", "0");
  edit(trial, "row.md", 0, 5);
  const std::uint64_t journal = trial.folder.get(".notesdb/displaced/journal").size();
  CHECK(trial.state({}).kept == 5 * block + journal);
  // A journal that an earlier release wrote says nothing; collecting it tells.
  const std::string text = trial.folder.get(".notesdb/displaced/journal");
  const std::size_t head = text.find('\n') + 1;
  trial.folder.put(".notesdb/displaced/journal", text.substr(0, text.find('\n', head) + 1));
  CHECK(trial.state({}).is_gc_due);
  trial.collect({});
  CHECK_FALSE(trial.state({}).is_gc_due);
  CHECK(trial.state({}).kept >= block);
}

TEST_CASE("files that wait for a change that never happened are removed", "[files]") {
  Trial trial;
  trial.folder.put("row.md", "0");
  const std::string kept = trial.replace("row.md", "0", "1");
  const std::string dead = "08kgp2vj0fxw1q7";
  for (int i = 0; i < 20; ++i)
    trial.folder.put(".notesdb/displaced/" + dead + "." + std::to_string(i), "new");
  trial.folder.put(".notesdb/intent/" + dead + ".waiting", "20");
  SECTION("where their process has died") {
    trial.replace("row.md", "1", "2");
    CHECK(trial.disk->tidy(std::chrono::seconds(10)));
    CHECK(trial.versions() == 2);
    CHECK_FALSE(trial.folder.has(".notesdb/intent/" + dead + ".waiting"));
  }
  SECTION("but not while it lives") {
    const int held =
        ::open(trial.folder.at(".notesdb/intent/" + dead + ".waiting").c_str(), O_RDONLY);
    REQUIRE(::flock(held, LOCK_EX) == 0);
    trial.replace("row.md", "1", "2");
    CHECK(trial.disk->tidy(std::chrono::seconds(10)));
    CHECK(trial.versions() == 22);
    ::close(held);
  }
  SECTION("nor where the change was made, and they are what it put aside") {
    trial.folder.put(".notesdb/intent/" + kept + ".waiting", "20");
    trial.replace("row.md", "1", "2");
    CHECK(trial.disk->tidy(std::chrono::seconds(10)));
    CHECK(trial.versions() == 2);
    CHECK(trial.disk->undo_steps(kept));
  }
}

TEST_CASE("a folder that comes with its first file is one step", "[files]") {
  Trial trial;
  const auto made = trial.disk->apply({Step::create("t/a.md", "a"), Step::create_folder("t")});
  INFO((made ? "" : made.error().message));
  REQUIRE(made);
  std::size_t folders = 0;
  REQUIRE(trial.disk->past_changes([&](PastChange& change) {
    folders += static_cast<std::size_t>(
        std::ranges::count(change.steps, StepKind::create_folder, &JournalEntry::kind));
    return true;
  }));
  CHECK(folders == 1);
  REQUIRE(trial.disk->apply(*trial.disk->undo_steps(made->change)));
  CHECK_FALSE(trial.folder.has("t"));
}

TEST_CASE("a change says what it was for, and what it took back", "[files]") {
  Trial trial;
  const auto made = trial.disk->apply({Step::create("t/a.md", "a")}, "import of 1 row\tinto t\n");
  REQUIRE(made);
  const auto undone = trial.disk->apply(*trial.disk->undo_steps(made->change), "undo");
  REQUIRE(undone);
  CHECK_FALSE(trial.folder.has("t"));
  const auto redone = trial.disk->apply(*trial.disk->undo_steps(undone->change));
  REQUIRE(redone);
  CHECK(trial.folder.get("t/a.md") == "a");
  // Once more there and back: the folder is one step of each change, not two.
  const auto again = trial.disk->apply(*trial.disk->undo_steps(redone->change));
  REQUIRE(again);
  REQUIRE(trial.disk->apply(*trial.disk->undo_steps(again->change)));

  std::vector<PastChange> changes;
  REQUIRE(trial.disk->past_changes([&](PastChange& change) {
    changes.push_back(change);
    return true;
  }));
  REQUIRE(changes.size() == 5);
  CHECK(changes[4].what == "import of 1 row\tinto t\n");
  CHECK(changes[4].takes_back.empty());
  CHECK(changes[3].takes_back == made->change);
  CHECK(changes[3].is_undo());
  CHECK(changes[2].takes_back == undone->change);
  CHECK(changes[2].is_redo);
  CHECK(changes[1].is_undo());
}
