// What is left when a process dies in the middle, at moments that chance chooses.
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/etag.h"
#include "files/intent.h"
#include "files/journal.h"
#include "files/temporary_folder.h"

using namespace notesdb;

namespace {

std::string version(int number) {
  return std::to_string(number) + std::string(5'000, 'x') + "\n";
}

int number_in(const std::string& bytes) {
  return bytes.size() > 5'000 && bytes.back() == '\n' ? std::stoi(bytes) : -1;
}

// Runs `work` in a child and kills it some microseconds, at most `most`, after `is_underway`.
template <typename Work, typename Sign>
void kill_during(std::mt19937& chance, const Work& work, const Sign& is_underway, unsigned most) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  while (!is_underway() && ::waitpid(child, nullptr, WNOHANG) == 0)
    ;
  ::usleep(static_cast<useconds_t>(chance() % most));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace

TEST_CASE("a killed writer leaves the old row or the new one, and nothing beside it", "[files]") {
  const TemporaryFolder folder;
  folder.put("notes/row.md", version(0));
  std::mt19937 chance(7);
  for (int round = 0; round < 30; ++round) {
    const int acknowledged =
        ::open(folder.at("acknowledged").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int start = number_in(folder.get("notes/row.md"));
    const auto work = [&] {
      Result<std::unique_ptr<Disk>> disk = Disk::open(folder.at("notes"));
      for (int i = start;; ++i) {
        if (!(*disk)->replace("row.md", etag_of(version(i)), version(i + 1))) ::_exit(1);
        const std::string text = std::to_string(i + 1);
        if (::pwrite(acknowledged, text.data(), text.size(), 0) < 0) ::_exit(1);
      }
    };
    const auto acknowledges = [&] {
      struct stat status {};
      return ::fstat(acknowledged, &status) != 0 || status.st_size > 0;
    };
    kill_during(chance, work, acknowledges, 15'000);
    ::close(acknowledged);
    const int now = number_in(folder.get("notes/row.md"));
    const std::string said = folder.get("acknowledged");
    const int promised = said.empty() ? start : std::stoi(said);
    CHECK(now >= promised);
    CHECK(now <= promised + 1);
    const auto disk = Disk::open(folder.at("notes"));
    CHECK((*disk)->list(".")->size() <= 2);  // the row and .notesdb
  }
  // Every step that was recorded and took effect can still be taken back, the last ones first.
  auto disk = Disk::open(folder.at("notes"));
  const int last = number_in(folder.get("notes/row.md"));
  REQUIRE(last > 10);
  int taken_back = 0;
  const Result<std::vector<JournalEntry>> history = (*disk)->history("row.md", 10);
  for (const JournalEntry& step : *history) {
    REQUIRE((*disk)->apply(*(*disk)->undo_steps(step.change)));
    ++taken_back;
  }
  CHECK(number_in(folder.get("notes/row.md")) == last - taken_back);
}

TEST_CASE("a killed change of several files is finished or undone by the next writer", "[files]") {
  const TemporaryFolder folder;
  const std::vector<std::string> names = {"a.md", "sub/b.md", "c.md", "d.md"};
  for (const std::string& name : names)
    folder.put(name, version(0));
  std::mt19937 chance(11);
  int interrupted = 0;
  for (int round = 0; round < 40; ++round) {
    const auto work = [&] {
      const auto disk = folder.open();
      const int start = number_in(folder.get("a.md"));
      for (int i = start;; ++i) {
        std::vector<Step> steps;
        for (const std::string& name : names)
          steps.push_back(Step::replace(name, etag_of(version(i)), version(i + 1)));
        steps.push_back(Step::create("new-" + std::to_string(i + 1) + ".md", version(i + 1)));
        if (i > 0) {
          steps.push_back(Step::remove("new-" + std::to_string(i) + ".md", etag_of(version(i))));
        }
        if (!disk->apply(steps)) ::_exit(1);
      }
    };
    kill_during(
        chance, work, [&] { return folder.has(".notesdb/intent/current"); }, 200);
    if (folder.has(".notesdb/intent/current")) ++interrupted;
    // By asking for it, or by the next call, even one that is refused.
    if (round % 2 == 0) REQUIRE(folder.open()->recover());
    if (round % 2 == 1) REQUIRE_FALSE(folder.open()->create("a.md", "x"));
    CHECK_FALSE(folder.has(".notesdb/intent/current"));
    const int now = number_in(folder.get("a.md"));
    auto expected = std::map<std::string, std::string>{{"sub", ""}};
    for (const std::string& name : names)
      expected[name] = version(now);
    if (now > 0) expected["new-" + std::to_string(now) + ".md"] = version(now);
    REQUIRE(folder.picture() == expected);
  }
  WARN(interrupted << " of 40 kills fell into a change");
}

TEST_CASE("an interrupted change over files that changed since is reported and left", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "a");
  folder.put("b.md", "b");
  const auto disk = folder.open();
  const Result<Written> done = disk->apply(
      {Step::replace("a.md", etag_of("a"), "A"), Step::replace("b.md", etag_of("b"), "B")});
  REQUIRE(done);
  {
    // As if it had died before removing its intent, and somebody edited a row then.
    const Descriptor intent(::open(folder.at(".notesdb/intent").c_str(), O_RDONLY));
    REQUIRE(write_intent(intent.get(), word_in(folder), *disk->history("", 10)) == 0);
  }
  folder.put("b.md", "edited");
  const auto before = folder.picture();
  const Result<Written> refused = disk->replace("a.md", etag_of("A"), "AA");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::conflict);
  CHECK(refused.error().message.find(done->change) != std::string::npos);
  CHECK(folder.picture() == before);
  CHECK(disk->replace("a.md", etag_of("A"), "AA"));
}

TEST_CASE("an intent that was cut short is passed over", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "a");
  const auto disk = folder.open();
  REQUIRE(disk->replace("a.md", etag_of("a"), "A"));
  folder.put(".notesdb/intent/current",
             head_line(word_in(folder)) + "08kgp2vj0fxw1q7\t0\treplace\t");
  CHECK(disk->replace("a.md", etag_of("A"), "AA"));
  CHECK_FALSE(folder.has(".notesdb/intent/current"));
}
