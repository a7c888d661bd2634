// Which `.notesdb` is believed, and what is done with one that is not.
#include "files/store.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/change_id.h"
#include "files/etag.h"
#include "files/intent.h"
#include "files/journal.h"
#include "files/journal_gc.h"
#include "files/temporary_folder.h"

using namespace notesdb;
namespace fs = std::filesystem;

namespace {

// A workspace with one change that can be taken back, which is named by what comes back.
std::string change_in(const TemporaryFolder& folder) {
  folder.put("row.md", "1");
  const Result<Written> done = folder.open()->replace("row.md", etag_of("1"), "2");
  REQUIRE(done);
  return done->change;
}

unsigned mode_of(const TemporaryFolder& folder, const std::string& name) {
  struct stat status {};
  return ::lstat(folder.at(name).c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

// An unfinished change of one step, as it lies in the store of a folder under this word.
void plant_intent(const TemporaryFolder& folder, const std::string& word, JournalEntry step) {
  step.change = new_change_id();
  folder.put(".notesdb/displaced/" + kept_name(step.change, 0), "planted");
  fs::permissions(folder.at(".notesdb/displaced/" + kept_name(step.change, 0)), fs::perms(0755));
  folder.put(".notesdb/intent/current", head_line(word) + to_lines({step}) + "end\n");
}

JournalEntry creation_of(const std::string& path) {
  JournalEntry step;
  step.kind = StepKind::create;
  step.path = path;
  step.new_etag = etag_of("planted");
  return step;
}

bool has_stuck_intent(const TemporaryFolder& folder) {
  const fs::directory_iterator entries(folder.at(".notesdb/intent"));
  return std::any_of(begin(entries), end(entries), [](const auto& entry) {
    return entry.path().extension() == ".stuck";
  });
}

void expect_set_aside(const TemporaryFolder& folder, const std::string& change) {
  const auto disk = folder.open();
  CHECK(disk->history("", 10)->empty());
  CHECK_FALSE(disk->undo_steps(change));
  CHECK_FALSE(store_warning(disk->root()).empty());
  CHECK(disk->replace("row.md", etag_of("2"), "3"));
  CHECK(disk->history("", 10)->size() == 1);
  CHECK(folder.has(".notesdb/foreign-1"));
  CHECK(stores_set_aside(disk->root()) == std::vector<std::string>{".notesdb/foreign-1"});
  CHECK_FALSE(store_warning(disk->root()).empty());
}

class WithoutState {
 public:
  explicit WithoutState(const char* folder) : before_(std::getenv("XDG_STATE_HOME")) {
    ::setenv("XDG_STATE_HOME", folder, 1);
  }
  WithoutState(const WithoutState&) = delete;
  WithoutState& operator=(const WithoutState&) = delete;
  ~WithoutState() { ::setenv("XDG_STATE_HOME", before_.c_str(), 1); }

 private:
  std::string before_;
};

}  // namespace

TEST_CASE("a store that was made here is believed, also after a move", "[files][store]") {
  const TemporaryFolder folder;
  const std::string change = change_in(folder);
  CHECK(store_warning(folder.open()->root()).empty());
  CHECK(folder.open()->undo_steps(change));
  const TemporaryFolder other;
  fs::rename(folder.path(), other.at("moved"));
  const auto moved = Disk::open(other.at("moved"));
  CHECK((*moved)->history("", 10)->size() == 1);
  CHECK((*moved)->undo_steps(change));
}

TEST_CASE("a store that was copied is set aside by the next write", "[files][store]") {
  const TemporaryFolder folder;
  const std::string change = change_in(folder);
  const TemporaryFolder copy;
  fs::copy(folder.path(), copy.path(), fs::copy_options::recursive);
  fs::permissions(copy.at(".notesdb"), fs::perms(0700));
  expect_set_aside(copy, change);
}

TEST_CASE("a store without its word, or that others may write to, is set aside", "[files][store]") {
  const TemporaryFolder folder;
  const std::string change = change_in(folder);
  SECTION("no word") {
    fs::remove(folder.at(".notesdb/owner"));
  }
  SECTION("another word") {
    folder.put(".notesdb/owner", new_store_word() + "\n");
  }
  SECTION("writable by all") {
    fs::permissions(folder.at(".notesdb"), fs::perms(0777));
  }
  SECTION("writable by others, who are not of the group") {
    fs::permissions(folder.at(".notesdb"), fs::perms(0707));
  }
  SECTION("a folder in it that is writable by all") {
    fs::permissions(folder.at(".notesdb/displaced"), fs::perms(0777));
  }
  SECTION("writable by the group, which the workspace is not") {
    fs::permissions(folder.at(".notesdb"), fs::perms(0770));
  }
  SECTION("of somebody else") {
    if (::geteuid() != 0) return;
    REQUIRE(::chown(folder.at(".notesdb").c_str(), 65'534, 65'534) == 0);
  }
  expect_set_aside(folder, change);
}

TEST_CASE("a link in the place of the store is set aside", "[files][store]") {
  const TemporaryFolder folder;
  const std::string change = change_in(folder);
  fs::rename(folder.at(".notesdb"), folder.at("kept"));
  fs::create_symlink("kept", folder.at(".notesdb"));
  expect_set_aside(folder, change);
  CHECK(fs::read_symlink(folder.at(".notesdb/foreign-1")) == "kept");
}

TEST_CASE("a journal without our word is not believed, and is moved away", "[files][store]") {
  const TemporaryFolder folder;
  change_in(folder);
  const std::string lines = folder.get(".notesdb/displaced/journal");
  folder.put(".notesdb/displaced/journal", head_line(new_store_word()) + lines);
  const auto disk = folder.open();
  CHECK(disk->history("", 10)->empty());
  REQUIRE(disk->replace("row.md", etag_of("2"), "3"));
  CHECK(disk->history("", 10)->size() == 1);
}

TEST_CASE("an unfinished change without our word is never finished", "[files][store]") {
  const TemporaryFolder folder;
  change_in(folder);
  plant_intent(folder, new_store_word(), creation_of("new.md"));
  CHECK(folder.open()->recover());
  CHECK_FALSE(folder.has("new.md"));
  CHECK(folder.open()->replace("row.md", etag_of("2"), "3"));
  CHECK_FALSE(folder.has("new.md"));
  CHECK(has_stuck_intent(folder));
}

TEST_CASE("an unfinished change makes rows and nothing else", "[files][store]") {
  const TemporaryFolder folder;
  change_in(folder);
  folder.put("hooks/kept.md", "");
  for (const std::string path : {".git/hooks/x.md",
                                 "hooks/run.sh",
                                 "hooks/.x.md",
                                 "hooks/Makefile",
                                 ".g\u200cit/x.md",
                                 "../x.md",
                                 "hooks/a\n.md"}) {
    INFO(path);
    plant_intent(folder, word_in(folder), creation_of(path));
    CHECK_FALSE(folder.open()->lock());
    CHECK(has_stuck_intent(folder));
    CHECK_FALSE(folder.has(path));
  }
  plant_intent(folder, word_in(folder), creation_of("hooks/x.md"));
  CHECK(folder.open()->lock());
  CHECK(folder.get("hooks/x.md") == "planted");
  CHECK((mode_of(folder, "hooks/x.md") & 0111U) == 0);
}

TEST_CASE("no version that was kept comes back as a program", "[files][store]") {
  const TemporaryFolder folder;
  folder.put("row.md", "1");
  fs::permissions(folder.at("row.md"), fs::perms(0755));
  const auto disk = folder.open();
  REQUIRE(disk->replace("row.md", etag_of("1"), "2"));
  CHECK(mode_of(folder, "row.md") == 0755);  // of the row as it lies there
  const Result<Written> removed = disk->remove("row.md", etag_of("2"));
  REQUIRE(removed);
  REQUIRE(disk->apply(*disk->undo_steps(removed->change)));
  CHECK(mode_of(folder, "row.md") == 0644);
}

TEST_CASE("a store is entered by its owner alone, or by the group of the workspace",
          "[files][store]") {
  const TemporaryFolder folder;
  unsigned also = 0;
  SECTION("alone") {
    fs::permissions(folder.path(), fs::perms(0755));
  }
  SECTION("with its group") {
    fs::permissions(folder.path(), fs::perms(0775));
    also = 0070;
  }
  change_in(folder);
  CHECK(mode_of(folder, ".notesdb") == (0700U | also));
  CHECK(mode_of(folder, ".notesdb/displaced") == (0700U | also));
  CHECK(mode_of(folder, ".notesdb/lock") == (0600U | (also & 0060U)));
  fs::permissions(folder.at(".notesdb/lock"), fs::perms(0666));
  CHECK(folder.open()->lock());
  CHECK(mode_of(folder, ".notesdb/lock") == (0600U | (also & 0060U)));
}

TEST_CASE("where no word can be kept rows are written, and undone by the same process",
          "[files][store]") {
  const TemporaryFolder folder;
  folder.put("no-folder", "");
  const WithoutState none(folder.at("no-folder").c_str());
  folder.put("row.md", "1");
  const auto disk = folder.open();
  const Result<Written> done = disk->replace("row.md", etag_of("1"), "2");
  REQUIRE(done);
  CHECK(disk->history("", 10)->size() == 1);
  CHECK(disk->undo_steps(done->change));
  const auto other = folder.open();
  CHECK(other->history("", 10)->empty());
  const auto refused = other->undo_steps(done->change);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("XDG_STATE_HOME") != std::string::npos);
  CHECK(other->replace("row.md", etag_of("2"), "3"));
  CHECK_FALSE(folder.has(".notesdb/foreign-1"));
}

TEST_CASE("words are kept where nobody else writes", "[files][store]") {
  const TemporaryFolder state;
  const WithoutState elsewhere(state.path().c_str());
  const TemporaryFolder folder;
  change_in(folder);
  CHECK(mode_of(state, "notesdb/stores") == 0700);
  const std::string name = std::to_string(folder.open()->root().inode());
  CHECK(mode_of(state, "notesdb/stores/" + name) == 0600);
  CHECK(state.get("notesdb/stores/" + name).starts_with(word_in(folder)));
  fs::permissions(state.at("notesdb/stores"), fs::perms(0777));
  CHECK_FALSE(find_store_word(folder.open()->root()));
  CHECK(folder.open()->history("", 10)->empty());
}

TEST_CASE("a change that is dated ahead is no newer than the one behind it", "[files][store]") {
  const TemporaryFolder folder;
  const std::string change = change_in(folder);
  const auto disk = folder.open();
  JournalEntry ahead = disk->history("", 1)->front();
  ahead.change = "7" + change.substr(1);
  const std::string journal = folder.get(".notesdb/displaced/journal");
  const std::size_t head = head_line(word_in(folder)).size();
  folder.put(".notesdb/displaced/journal",
             journal.substr(0, head) + to_lines({ahead}) + journal.substr(head));
  constexpr std::int64_t day = 86'400'000'000;
  const auto collect = [&](std::int64_t later) {
    const auto store = std::make_shared<Store>(*Store::make(disk->root()));
    JournalGc gc(disk->root(), store, {}, now_us() + later);
    CHECK(gc.run([&] { return disk->lock(); }, JournalGc::Clock::time_point::max()));
  };
  const auto is_in_journal = [&](const std::string& id) {
    return folder.get(".notesdb/displaced/journal").find(id) != std::string::npos;
  };
  collect(29 * day);
  CHECK(is_in_journal(ahead.change));
  CHECK(disk->undo_steps(change));
  collect(31 * day);
  CHECK_FALSE(is_in_journal(ahead.change));
  CHECK(disk->history("", 10)->empty());
  CHECK_FALSE(folder.has(".notesdb/displaced/" + kept_name(change, 0)));
  CHECK(folder.get(".notesdb/displaced/journal").starts_with(head_line(word_in(folder))));
}

TEST_CASE("a collection believes no journal and no store that are not ours", "[files][store]") {
  const TemporaryFolder folder;
  const std::string change = change_in(folder);
  const std::string kept = ".notesdb/displaced/" + kept_name(change, 0);
  const auto disk = folder.open();
  const std::string journal = folder.get(".notesdb/displaced/journal");
  const std::string lines = journal.substr(head_line(word_in(folder)).size());
  std::string theirs;
  constexpr std::int64_t year = std::int64_t{365} * 86'400'000'000;
  const auto collect = [&](Store store) {
    JournalGc gc(disk->root(), std::make_shared<Store>(std::move(store)), {}, now_us() + year);
    CHECK(gc.run([&] { return disk->lock(); }, JournalGc::Clock::time_point::max()));
  };
  SECTION("another journal in our store") {
    theirs = head_line(new_store_word()) + lines;
    folder.put(".notesdb/displaced/journal", theirs);
    collect(*Store::make(disk->root()));
  }
  SECTION("one that came while ours was collected") {
    theirs = head_line(new_store_word()) + lines + lines;
    const auto store = std::make_shared<Store>(*Store::make(disk->root()));
    JournalGc gc(disk->root(), store, {}, now_us() + year);
    const auto lock = [&] { return disk->lock(); };
    CHECK_FALSE(gc.run(lock, JournalGc::Clock::time_point::min()));
    folder.put(".notesdb/displaced/journal", theirs);  // into the same file
    folder.put(kept, "1");
    CHECK(gc.run(lock, JournalGc::Clock::time_point::max()));
  }
  SECTION("a store of which nobody knows whose it is") {
    const WithoutState none(folder.at("row.md").c_str());
    theirs = journal;
    Store store = *Store::make(disk->root());
    CHECK(store.state() == StoreState::unverified);
    CHECK(trash_state(store, {.bytes = 1}, now_us() + year).kept == 0);
    collect(std::move(store));
  }
  CHECK(folder.get(".notesdb/displaced/journal") == theirs);
  CHECK(folder.has(kept));
}

TEST_CASE("files that wait in a store that is not ours are left", "[files][store]") {
  const TemporaryFolder folder;
  change_in(folder);
  const std::string dead = "08kgp2vj0fxw1q7";
  folder.put(".notesdb/displaced/" + dead + ".0", "new");
  folder.put(".notesdb/intent/" + dead + ".waiting", "1");
  const WithoutState none(folder.at("row.md").c_str());
  const auto disk = folder.open();
  REQUIRE(disk->replace("row.md", etag_of("2"), "3"));
  CHECK(disk->tidy(std::chrono::seconds(10)));
  CHECK(folder.has(".notesdb/displaced/" + dead + ".0"));
  CHECK(folder.has(".notesdb/intent/" + dead + ".waiting"));
}
