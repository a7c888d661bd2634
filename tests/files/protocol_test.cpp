// The write protocol step by step: what reaches the disk in which order, and what another program
// does at the worst moment.
#include <cerrno>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/etag.h"
#include "files/kernel.h"
#include "files/names.h"
#include "files/temporary_folder.h"
#include "files/watched_calls.h"

using namespace notesdb;

namespace {

const char* const row = "tasks/row.md";

// A folder with one row, and a program beside us that changes it.
class Trial {
 public:
  Trial() { folder.put(row, "one"); }

  // As sed -i and most sync programs save.
  void save(const std::string& bytes, const std::string& name = row) const {
    folder.put("tasks/sedAbCdEf", bytes);
    std::filesystem::rename(folder.at("tasks/sedAbCdEf"), folder.at(name));
  }
  // As editors save, with the time stamps that the file had.
  void save_in_place(const std::string& bytes) const {
    struct stat before {};
    REQUIRE(::stat(folder.at(row).c_str(), &before) == 0);
    folder.put(row, bytes);
    const timespec times[2] = {before.st_atim, before.st_mtim};
    REQUIRE(::utimensat(AT_FDCWD, folder.at(row).c_str(), &times[0], 0) == 0);
  }
  void remove() const { std::filesystem::remove(folder.at(row)); }

  Result<Written> replace(const std::string& bytes = "two") const {
    return folder.open()->replace(row, etag_of("one"), bytes);
  }

  std::vector<std::string> conflict_copies() const {
    std::vector<std::string> copies;
    for (const auto& [name, bytes] : folder.picture()) {
      if (is_conflict_copy(name_in(name))) copies.push_back(bytes);
    }
    return copies;
  }
  // Files in the store besides the journal.
  std::size_t versions() const {
    std::size_t count = 0;
    for (const auto& each : std::filesystem::directory_iterator(folder.at(".notesdb/displaced")))
      count += each.path().filename() == "journal" ? 0 : 1;
    return count;
  }

  TemporaryFolder folder;
};

bool is_conflict(const Result<Written>& written) {
  return !written && written.error().code == ErrorCode::conflict;
}

bool has_leases(const TemporaryFolder& folder) {
  folder.put("probe", "");
  const Descriptor file(::open(folder.at("probe").c_str(), O_RDONLY | O_CLOEXEC));
  if (kernel::take_read_lease(file.get()) == 0) return true;
  WARN("skipped: this file system has no leases");
  return false;
}

}  // namespace

TEST_CASE("a row's bytes are on the disk before it gets them, its folder before we answer",
          "[files][protocol]") {
  const Trial trial;
  WatchedCalls calls;
  REQUIRE(trial.replace());
  CHECK(calls.in_order(
      {"sync file in displaced", "lock", "exchange", "sync folder tasks", "unlock"}));
  CHECK(calls.count("exchange") == 1);
}

TEST_CASE("a new row's bytes are on the disk before it has its name", "[files][protocol]") {
  const Trial trial;
  WatchedCalls calls;
  REQUIRE(trial.folder.open()->create("tasks/new.md", "new"));
  const bool unnamed = calls.count("link") > 0;
  CHECK(calls.in_order({unnamed ? "sync file in tasks" : "sync file in displaced",
                        "lock",
                        unnamed ? "link" : "move",
                        "sync folder tasks",
                        "unlock"}));
}

TEST_CASE("a removed row is gone from the disk before we answer", "[files][protocol]") {
  const Trial trial;
  WatchedCalls calls;
  REQUIRE(trial.folder.open()->remove(row, etag_of("one")));
  CHECK(calls.in_order({"lock", "move", "sync folder tasks", "unlock"}));
}

TEST_CASE("the list of several changes is on the disk before the first of them",
          "[files][protocol]") {
  const Trial trial;
  trial.folder.put("tasks/b.md", "b");
  WatchedCalls calls;
  bool was_listed = false;
  calls.at("exchange", 1, [&] { was_listed = trial.folder.has(".notesdb/intent/current"); });
  REQUIRE(trial.folder.open()->apply(
      {Step::replace(row, etag_of("one"), "two"), Step::replace("tasks/b.md", etag_of("b"), "B")}));
  CHECK(was_listed);
  CHECK(calls.in_order({"sync file in displaced",
                        "sync file in displaced",
                        "lock",
                        "sync file in intent",
                        "sync folder intent",
                        "exchange",
                        "exchange",
                        "sync folder tasks",
                        "sync folder intent",
                        "unlock"}));
  CHECK_FALSE(trial.folder.has(".notesdb/intent/current"));
}

TEST_CASE("many new files are on the disk before the first has its place", "[files][protocol]") {
  const Trial trial;
  std::vector<Step> steps;
  for (int i = 0; i < 12; ++i)
    steps.push_back(Step::create("tasks/" + std::to_string(i) + ".md", "x"));
  WatchedCalls calls;
  REQUIRE(trial.folder.open()->apply(steps));
  CHECK(calls.in_order({"sync file system", "sync file in intent", "move"}));
}

TEST_CASE("a step is recorded before it is taken", "[files][protocol]") {
  const Trial trial;
  WatchedCalls calls;
  std::string journal;
  calls.at("exchange", 1, [&] { journal = trial.folder.get(".notesdb/displaced/journal"); });
  REQUIRE(trial.replace());
  CHECK(journal.find(row) != std::string::npos);
}

TEST_CASE("a save while we prepare is a conflict", "[files][protocol]") {
  const Trial trial;
  WatchedCalls calls;
  calls.at("lock", 1, [&] { trial.save("theirs"); });
  CHECK(is_conflict(trial.replace()));
  CHECK(trial.folder.get(row) == "theirs");
  CHECK(trial.versions() == 0);
  CHECK(trial.conflict_copies().empty());
}

TEST_CASE("a save between the look and the exchange is given back its place", "[files][protocol]") {
  const Trial trial;
  WatchedCalls calls;
  calls.at("exchange", 1, [&] { trial.save("theirs"); });
  CHECK(is_conflict(trial.replace()));
  CHECK(trial.folder.get(row) == "theirs");
  CHECK(trial.versions() == 0);
  CHECK(trial.conflict_copies().empty());
}

TEST_CASE("a save between the exchange and the giving back is kept beside the row",
          "[files][protocol]") {
  const Trial trial;
  WatchedCalls calls;
  calls.at("exchange", 1, [&] { trial.save("theirs"); });
  calls.at("exchange", 2, [&] { trial.save("third"); });
  const Result<Written> written = trial.replace();
  REQUIRE(is_conflict(written));
  CHECK(written.error().message.find("saved as 'row (conflict ") != std::string::npos);
  CHECK(trial.folder.get(row) == "theirs");
  CHECK(trial.conflict_copies() == std::vector<std::string>{"third"});
}

TEST_CASE("a row that git has just removed is not brought back", "[files][protocol]") {
  const Trial trial;
  WatchedCalls calls;
  SECTION("before the exchange") {
    calls.at("exchange", 1, [&] { trial.remove(); });
    CHECK(is_conflict(trial.replace()));
    CHECK(trial.conflict_copies().empty());
  }
  SECTION("nor after it, and what it held is kept") {
    calls.at("exchange", 1, [&] { trial.save("theirs"); });
    calls.at("exchange", 2, [&] { trial.remove(); });
    CHECK(is_conflict(trial.replace()));
    CHECK(trial.conflict_copies() == std::vector<std::string>{"theirs"});
  }
  CHECK_FALSE(trial.folder.has(row));
}

TEST_CASE("an editor that opens the row while we replace it goes first", "[files][protocol]") {
  const Trial trial;
  if (!has_leases(trial.folder)) return;
  WatchedCalls calls;
  bool had_to_wait = false;
  calls.at("exchange", 1, [&] {
    const Descriptor editor(
        ::open(trial.folder.at(row).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    had_to_wait = !editor && errno == EWOULDBLOCK;
  });
  CHECK(is_conflict(trial.replace()));
  CHECK(had_to_wait);
  CHECK(trial.folder.get(row) == "one");
}

TEST_CASE("without leases a save in place is told by its bytes, whatever its time stamps",
          "[files][protocol]") {
  const Trial trial;
  WatchedCalls calls;
  calls.refuse("lease", EINVAL);
  calls.at("exchange", 1, [&] { trial.save_in_place("ONE"); });
  CHECK(is_conflict(trial.replace()));
  CHECK(trial.folder.get(row) == "ONE");
}

TEST_CASE("without an exchange the version before is kept and the answer says what is smaller",
          "[files][protocol]") {
  const Trial trial;
  WatchedCalls calls;
  calls.refuse("exchange", EINVAL);
  const auto disk = trial.folder.open();
  const Result<Written> written = disk->replace(row, etag_of("one"), "two");
  REQUIRE(written);
  CHECK(written->notes.size() == 1);
  CHECK(trial.folder.get(row) == "two");
  REQUIRE(disk->apply(*disk->undo_steps(written->change)));
  CHECK(trial.folder.get(row) == "one");
}

TEST_CASE("a row that was saved as we removed it comes back", "[files][protocol]") {
  const Trial trial;
  WatchedCalls calls;
  calls.at("move", 1, [&] { trial.save("theirs"); });
  SECTION("to its place") {
    CHECK(is_conflict(trial.folder.open()->remove(row, etag_of("one"))));
    CHECK(trial.folder.get(row) == "theirs");
    CHECK(trial.conflict_copies().empty());
  }
  SECTION("or beside it, if the place is taken again") {
    calls.at("move", 2, [&] { trial.save("third"); });
    CHECK(is_conflict(trial.folder.open()->remove(row, etag_of("one"))));
    CHECK(trial.folder.get(row) == "third");
    CHECK(trial.conflict_copies() == std::vector<std::string>{"theirs"});
  }
}

TEST_CASE("a name that another program takes first stays its own", "[files][protocol]") {
  const Trial trial;
  const auto disk = trial.folder.open();
  WatchedCalls calls;
  for (const char* call : {"link", "move"})
    calls.at(call, 1, [&] { trial.save("theirs", "tasks/new.md"); });
  Result<Written> written = Error{ErrorCode::internal, ""};
  SECTION("from a new row") {
    written = disk->create("tasks/new.md", "ours");
  }
  SECTION("from a row that is renamed") {
    written = disk->rename(row, "tasks/new.md", etag_of("one"));
  }
  REQUIRE_FALSE(written);
  CHECK(written.error().code == ErrorCode::already_exists);
  CHECK(trial.folder.get("tasks/new.md") == "theirs");
  CHECK(trial.folder.get(row) == "one");
}

TEST_CASE("if one of several changes is overtaken the ones before it are taken back",
          "[files][protocol]") {
  const Trial trial;
  trial.folder.put("tasks/b.md", "b");
  WatchedCalls calls;
  const auto apply = [&] {
    return trial.folder.open()->apply({Step::replace(row, etag_of("one"), "two"),
                                       Step::replace("tasks/b.md", etag_of("b"), "B")});
  };
  calls.at("exchange", 2, [&] { trial.save("theirs", "tasks/b.md"); });
  SECTION("to what they were") {
    CHECK(is_conflict(apply()));
    CHECK(trial.folder.get(row) == "one");
    CHECK(trial.versions() == 0);
  }
  SECTION("but not over what was saved meanwhile") {
    // The third exchange gives b its place back, the fourth takes the row back.
    const int moment = GENERATE(3, 4);
    calls.at("exchange", moment, [&] { trial.save("edited"); });
    const Result<Written> written = apply();
    REQUIRE(is_conflict(written));
    CHECK(trial.folder.get(row) == "edited");
    CHECK(written.error().message.find("could not be taken back") != std::string::npos);
  }
  CHECK(trial.folder.get("tasks/b.md") == "theirs");
  CHECK_FALSE(trial.folder.has(".notesdb/intent/current"));
}

TEST_CASE("who looks whether a change was cut short does not wait for its writer",
          "[files][protocol]") {
  const Trial trial;
  trial.folder.put("tasks/b.md", "b");
  WatchedCalls calls;
  bool was_answered = false;
  calls.at("exchange", 1, [&] {
    const auto another = trial.folder.open();
    was_answered = another->recover().ok();
  });
  REQUIRE(trial.folder.open()->apply(
      {Step::replace(row, etag_of("one"), "two"), Step::replace("tasks/b.md", etag_of("b"), "B")}));
  CHECK(was_answered);
  CHECK(trial.folder.get(row) == "two");
}

TEST_CASE("several changes that were cut short are finished by the next writer",
          "[files][protocol]") {
  const Trial trial;
  trial.folder.put("tasks/b.md", "b");
  const pid_t child = ::fork();
  if (child == 0) {
    WatchedCalls calls;
    calls.at("exchange", 2, [] { ::_exit(0); });
    (void)trial.folder.open()->apply({Step::replace(row, etag_of("one"), "two"),
                                      Step::replace("tasks/b.md", etag_of("b"), "B")});
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  CHECK(trial.folder.get(row) == "two");
  CHECK(trial.folder.get("tasks/b.md") == "b");
  CHECK(trial.folder.open()->create("tasks/next.md", "next"));
  CHECK(trial.folder.get(row) == "two");
  CHECK(trial.folder.get("tasks/b.md") == "B");
  CHECK_FALSE(trial.folder.has(".notesdb/intent/current"));
}

TEST_CASE("bytes that the disk refuses leave the row and no file", "[files][protocol]") {
  const Trial trial;
  WatchedCalls calls;
  calls.refuse("sync file in displaced", EIO, 1);
  const Result<Written> written = trial.replace();
  REQUIRE_FALSE(written);
  CHECK(written.error().code == ErrorCode::io_error);
  // Nothing is known of such a file any more: asking again might be told that all is well.
  CHECK(calls.count("sync file in displaced") == 1);
  CHECK(trial.folder.get(row) == "one");
  CHECK(trial.versions() == 0);
}

TEST_CASE("an interrupted sync is asked for again", "[files][protocol]") {
  const Trial trial;
  WatchedCalls calls;
  calls.refuse("sync file in displaced", EINTR, 2);
  REQUIRE(trial.replace());
  CHECK(calls.count("sync file in displaced") == 3);
}

TEST_CASE("a row whose folder the disk refuses is stored and said not to be safe",
          "[files][protocol]") {
  const Trial trial;
  WatchedCalls calls;
  calls.refuse("sync folder tasks", EIO);
  const Result<Written> written = trial.replace();
  REQUIRE(written);
  CHECK_FALSE(written->durable);
  CHECK(trial.folder.get(row) == "two");
}

TEST_CASE("writes that stop half-way are gone on with", "[files][protocol]") {
  const Trial trial;
  WatchedCalls calls;
  calls.write_halves();
  const std::string bytes(10'000, 'x');
  REQUIRE(trial.replace(bytes));
  CHECK(trial.folder.get(row) == bytes);
  CHECK(trial.folder.open()->history(row, 10)->size() == 1);
}
