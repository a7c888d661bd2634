#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "files/etag.h"
#include "files/temporary_folder.h"

using namespace notesdb;

namespace {

Etag etag_in(const TemporaryFolder& folder, const std::string& name) {
  return etag_of(folder.get(name));
}

// Files in the store besides the journal: the versions put aside.
std::size_t versions_kept(const TemporaryFolder& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.at(".notesdb/displaced"))) {
    if (entry.path().filename() != "journal") ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("a refusal leaves no trace at all", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "a");
  const auto disk = folder.open();
  CHECK_FALSE(disk->create("a.md", "x"));
  CHECK_FALSE(disk->create("-x.md", "x"));
  CHECK_FALSE(disk->replace("a.md", etag_of("other"), "x"));
  CHECK_FALSE(disk->replace("none.md", etag_of("other"), "x"));
  CHECK_FALSE(disk->remove("a.md", etag_of("other")));
  CHECK_FALSE(disk->rename("a.md", "b/", etag_of("a")));
  CHECK_FALSE(disk->create("b.md", std::string(max_file + 1, 'x')));
  CHECK(folder.picture() == std::map<std::string, std::string>{{"a.md", "a"}});
  CHECK_FALSE(folder.has(".notesdb"));
}

TEST_CASE("a new file is created exclusively", "[files]") {
  const TemporaryFolder folder;
  folder.put("a/b.md", "old");
  const auto disk = folder.open();
  const Result<Written> written = disk->create("a/c.md", "new");
  REQUIRE(written);
  CHECK(folder.get("a/c.md") == "new");
  CHECK(written->etags == std::vector<Etag>{etag_of("new")});
  CHECK(written->durable);
  CHECK(written->notes.empty());

  const Result<Written> again = disk->create("a/b.md", "new");
  REQUIRE_FALSE(again);
  CHECK(again.error().code == ErrorCode::already_exists);
  CHECK(folder.get("a/b.md") == "old");
  CHECK(versions_kept(folder) == 0);
}

TEST_CASE("a new file has the mode that the umask leaves", "[files]") {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  REQUIRE(folder.open()->create("a.md", "x"));
  ::umask(before);
  struct stat status {};
  REQUIRE(::stat(folder.at("a.md").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777U) == 0640);
}

TEST_CASE("the folders of a new file are made with it and unmade with it", "[files]") {
  const TemporaryFolder folder;
  folder.put("x.md", "x");
  const auto before = folder.picture();
  const auto disk = folder.open();
  const Result<Written> written = disk->create("my-tasks/deep/_schema.md", "---\n---\n");
  REQUIRE(written);
  CHECK(folder.get("my-tasks/deep/_schema.md") == "---\n---\n");
  CHECK(written->etags.size() == 1);
  const Result<std::vector<Step>> back = disk->undo_steps(written->change);
  REQUIRE(back);
  REQUIRE(disk->apply(*back));
  CHECK(folder.picture() == before);
}

TEST_CASE("names that do not travel are refused for new files only", "[files]") {
  const TemporaryFolder folder;
  folder.put("-odd/~row.md", "x");
  const auto disk = folder.open();
  for (const char* path :
       {"-odd/-b.md", "con/a.md", "../x.md", "/x.md", "a/../b.md", ".notesdb/x", ".", "a\\b"}) {
    INFO(path);
    const Result<Written> written = disk->create(path, "x");
    REQUIRE_FALSE(written);
    CHECK(written.error().code == ErrorCode::path_not_allowed);
  }
  CHECK(disk->create("-odd/b.md", "x"));
  CHECK(disk->replace("-odd/~row.md", etag_of("x"), "y"));
  CHECK(folder.get("-odd/~row.md") == "y");
}

TEST_CASE("a file is replaced only if it holds what was read", "[files]") {
  const TemporaryFolder folder;
  folder.put("row.md", "one");
  const auto disk = folder.open();
  const Result<Written> written = disk->replace("row.md", etag_of("one"), "two");
  REQUIRE(written);
  CHECK(folder.get("row.md") == "two");
  CHECK(written->etags.front() == etag_in(folder, "row.md"));

  const Result<Written> stale = disk->replace("row.md", etag_of("one"), "three");
  REQUIRE_FALSE(stale);
  CHECK(stale.error().code == ErrorCode::conflict);
  CHECK(stale.error().message.rfind("CONFLICT", 0) == 0);
  CHECK(stale.error().data.find("etag")->text() == to_text(etag_of("two")));
  CHECK(folder.get("row.md") == "two");
  CHECK(versions_kept(folder) == 1);

  const Result<Written> gone = disk->replace("none.md", etag_of("one"), "two");
  REQUIRE_FALSE(gone);
  CHECK(gone.error().code == ErrorCode::conflict);
  CHECK(gone.error().data.find("etag") == nullptr);
  CHECK_FALSE(folder.has("none.md"));
}

TEST_CASE("replacing bytes by the same bytes leaves the file untouched", "[files]") {
  const TemporaryFolder folder;
  folder.put("row.md", "one");
  const auto disk = folder.open();
  const StatKey before = disk->stat("row.md")->key;
  const Result<Written> written = disk->replace("row.md", etag_of("one"), "one");
  REQUIRE(written);
  CHECK(written->change.empty());
  CHECK(written->etags.front() == etag_of("one"));
  CHECK(disk->stat("row.md")->key == before);
}

TEST_CASE("mode, owner and attributes survive a replacement", "[files]") {
  const TemporaryFolder folder;
  folder.put("row.md", "one");
  const std::string path = folder.at("row.md");
  REQUIRE(::chmod(path.c_str(), 0604) == 0);
  const bool as_root = ::geteuid() == 0 && ::chown(path.c_str(), 1234, 4321) == 0;
  const bool with_attributes = ::setxattr(path.c_str(), "user.origin", "here", 4, 0) == 0;
  if (!with_attributes) WARN("no extended attributes here: that part is skipped");
  const Result<Written> written = folder.open()->replace("row.md", etag_of("one"), "two");
  REQUIRE(written);
  CHECK(written->notes.empty());
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777U) == 0604);
  if (as_root) {
    CHECK(status.st_uid == 1234);
    CHECK(status.st_gid == 4321);
  }
  if (with_attributes) {
    char value[8] = {};
    CHECK(::getxattr(path.c_str(), "user.origin", static_cast<char*>(value), sizeof value) == 4);
    CHECK(std::string(static_cast<char*>(value)) == "here");
  }
}

TEST_CASE("a hard link is cut, and said", "[files]") {
  const TemporaryFolder folder;
  folder.put("row.md", "one");
  std::filesystem::create_hard_link(folder.at("row.md"), folder.at("backup.md"));
  const Result<Written> written = folder.open()->replace("row.md", etag_of("one"), "two");
  REQUIRE(written);
  REQUIRE(written->notes.size() == 1);
  CHECK(written->notes.front().find("hard link") != std::string::npos);
  CHECK(folder.get("backup.md") == "one");
  CHECK(folder.get("row.md") == "two");
}

TEST_CASE("what is no regular file is neither replaced nor removed", "[files]") {
  const TemporaryFolder folder;
  folder.put("row.md", "one");
  REQUIRE(::symlink("row.md", folder.at("link.md").c_str()) == 0);
  REQUIRE(::mkfifo(folder.at("pipe.md").c_str(), 0600) == 0);
  std::filesystem::create_directory(folder.at("folder.md"));
  const auto before = folder.picture();
  const auto disk = folder.open();
  for (const char* name : {"link.md", "pipe.md", "folder.md"}) {
    INFO(name);
    CHECK(disk->replace(name, etag_of("one"), "two").error().code == ErrorCode::path_not_allowed);
    CHECK(disk->remove(name, etag_of("one")).error().code == ErrorCode::path_not_allowed);
    CHECK(disk->rename(name, "x.md", etag_of("one")).error().code == ErrorCode::path_not_allowed);
    CHECK(disk->create(name, "two").error().code == ErrorCode::already_exists);
  }
  CHECK(folder.picture() == before);
}

TEST_CASE("removing moves the file away and can be taken back with its mode", "[files]") {
  const TemporaryFolder folder;
  folder.put("a/row.md", "one");
  REQUIRE(::chmod(folder.at("a/row.md").c_str(), 0604) == 0);
  const auto disk = folder.open();
  CHECK(disk->remove("a/row.md", etag_of("other")).error().code == ErrorCode::conflict);
  CHECK(folder.get("a/row.md") == "one");
  const Result<Written> removed = disk->remove("a/row.md", etag_of("one"));
  REQUIRE(removed);
  CHECK_FALSE(folder.has("a/row.md"));
  REQUIRE(disk->apply(*disk->undo_steps(removed->change)));
  CHECK(folder.get("a/row.md") == "one");
  struct stat status {};
  REQUIRE(::stat(folder.at("a/row.md").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777U) == 0604);
}

TEST_CASE("renaming takes no place that is taken", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "a");
  folder.put("b.md", "b");
  const auto disk = folder.open();
  CHECK(disk->rename("a.md", "b.md", etag_of("a")).error().code == ErrorCode::already_exists);
  CHECK(folder.get("b.md") == "b");
  const Result<Written> renamed = disk->rename("a.md", "sub/A.md", etag_of("a"));
  REQUIRE(renamed);
  CHECK(folder.get("sub/A.md") == "a");
  CHECK_FALSE(folder.has("a.md"));
  REQUIRE(disk->apply(*disk->undo_steps(renamed->change)));
  CHECK(folder.get("a.md") == "a");
  CHECK_FALSE(folder.has("sub"));
}

TEST_CASE("a change of several files happens wholly or not at all", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "a");
  folder.put("b.md", "b");
  folder.put("c.md", "c");
  folder.put("d.md", "d");
  const auto before = folder.picture();
  const auto disk = folder.open();
  const auto steps = [](const char* last) {
    return std::vector<Step>{Step::replace("a.md", etag_of("a"), "A"),
                             Step::remove("b.md", etag_of("b")),
                             Step::rename("c.md", "sub/c2.md", etag_of("c")),
                             Step::create("new.md", "new"),
                             Step::replace("d.md", etag_of(last), "D")};
  };
  const Result<Written> refused = disk->apply(steps("other"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::conflict);
  CHECK(refused.error().data.find("step")->integer() == 4);
  CHECK(folder.picture() == before);

  const Result<Written> done = disk->apply(steps("d"));
  REQUIRE(done);
  CHECK(done->etags ==
        std::vector<Etag>{etag_of("A"), etag_of("b"), etag_of("c"), etag_of("new"), etag_of("D")});
  CHECK(folder.picture() ==
        std::map<std::string, std::string>{
            {"a.md", "A"}, {"d.md", "D"}, {"new.md", "new"}, {"sub", ""}, {"sub/c2.md", "c"}});
  CHECK_FALSE(folder.has(".notesdb/intent/current"));
  REQUIRE(disk->apply(*disk->undo_steps(done->change)));
  CHECK(folder.picture() == before);
}

TEST_CASE("a large change is stored with one sync and taken back in one", "[files]") {
  const TemporaryFolder folder;
  const auto disk = folder.open();
  std::vector<Step> steps;
  for (int i = 0; i < 300; ++i)
    steps.push_back(Step::create("row-" + std::to_string(i) + ".md", std::to_string(i)));
  const Result<Written> done = disk->apply(steps);
  REQUIRE(done);
  CHECK(folder.picture().size() == 300);
  REQUIRE(disk->apply(*disk->undo_steps(done->change)));
  CHECK(folder.picture().empty());
}

TEST_CASE("one file is not named twice in a change", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "a");
  const auto disk = folder.open();
  const Result<Written> twice = disk->apply(
      {Step::replace("a.md", etag_of("a"), "b"), Step::rename("a.md", "c.md", etag_of("b"))});
  REQUIRE_FALSE(twice);
  CHECK(twice.error().code == ErrorCode::invalid_argument);
}

TEST_CASE("every change is kept in order and each can be taken back", "[files]") {
  const TemporaryFolder folder;
  const auto disk = folder.open();
  REQUIRE(disk->create("a.md", "1"));
  REQUIRE(disk->replace("a.md", etag_of("1"), "2"));
  REQUIRE(disk->rename("a.md", "b.md", etag_of("2")));
  REQUIRE(disk->replace("b.md", etag_of("2"), "3"));
  REQUIRE(disk->create("other.md", "x"));
  const Result<std::vector<JournalEntry>> history = disk->history("b.md", 10);
  REQUIRE(history);
  REQUIRE(history->size() == 4);
  CHECK(history->at(0).kind == StepKind::replace);
  CHECK(history->at(1).kind == StepKind::rename);
  CHECK(history->at(3).kind == StepKind::create);
  CHECK(history->at(0).change > history->at(1).change);
  CHECK(disk->read_kept(history->at(0).file)->bytes == "2");
  CHECK(disk->history("", 2)->size() == 2);
  for (const JournalEntry& step : *history)
    REQUIRE(disk->apply(*disk->undo_steps(step.change)));
  CHECK(folder.picture() == std::map<std::string, std::string>{{"other.md", "x"}});
  CHECK(disk->undo_steps("nonsense").error().code == ErrorCode::invalid_argument);
}

TEST_CASE("a change is not taken back over a later one", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "1");
  const auto disk = folder.open();
  const Result<Written> first = disk->replace("a.md", etag_of("1"), "2");
  REQUIRE(first);
  folder.put("a.md", "edited");
  const Result<Written> undone = disk->apply(*disk->undo_steps(first->change));
  REQUIRE_FALSE(undone);
  CHECK(undone.error().code == ErrorCode::conflict);
  CHECK(folder.get("a.md") == "edited");
}

TEST_CASE("git's lock is respected and named", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "1");
  folder.put(".git/index.lock", "");
  const auto disk = folder.open();
  const Result<Written> written = disk->replace("a.md", etag_of("1"), "2");
  REQUIRE_FALSE(written);
  CHECK(written.error().code == ErrorCode::busy);
  CHECK(written.error().message.find("git is working here") != std::string::npos);
  CHECK(folder.get("a.md") == "1");
  std::filesystem::remove(folder.at(".git/index.lock"));
  CHECK(disk->replace("a.md", etag_of("1"), "2"));
}

TEST_CASE("the lock of a repository below the root counts for its rows alone", "[files]") {
  const TemporaryFolder folder;
  folder.put("vendor/notes/a.md", "1");
  folder.put("vendor/.git/index.lock", "");
  folder.put("b.md", "1");
  const auto disk = folder.open();
  const Result<Written> refused = disk->replace("vendor/notes/a.md", etag_of("1"), "2");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::busy);
  CHECK(disk->create("vendor/new/c.md", "1").error().code == ErrorCode::busy);
  CHECK(disk->replace("b.md", etag_of("1"), "2"));
  std::filesystem::remove(folder.at("vendor/.git/index.lock"));
  CHECK(disk->replace("vendor/notes/a.md", etag_of("1"), "2"));
}

TEST_CASE("the lock of a worktree's git directory counts, also above the root", "[files]") {
  const TemporaryFolder folder;
  folder.put("main/.git/worktrees/w/index.lock", "");
  folder.put("tree/.git", "gitdir: ../main/.git/worktrees/w\n");
  folder.put("tree/notes/a.md", "1");
  Result<std::unique_ptr<Disk>> disk = Disk::open(folder.at("tree/notes"));
  REQUIRE(disk);
  CHECK((*disk)->create("b.md", "x").error().code == ErrorCode::busy);
  std::filesystem::remove(folder.at("main/.git/worktrees/w/index.lock"));
  CHECK((*disk)->create("b.md", "x"));
}

TEST_CASE("a row that another program has open for writing is busy, and only it", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "1");
  folder.put("b.md", "1");
  const auto disk = folder.open();
  const int writer = ::open(folder.at("a.md").c_str(), O_WRONLY);
  const Result<Written> busy = disk->replace("a.md", etag_of("1"), "2");
  REQUIRE_FALSE(busy);
  CHECK(busy.error().code == ErrorCode::busy);
  CHECK(disk->replace("b.md", etag_of("1"), "2"));
  ::close(writer);
  CHECK(folder.get("a.md") == "1");
  CHECK(disk->replace("a.md", etag_of("1"), "2"));
}

TEST_CASE("deleting .notesdb loses undo and nothing else", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "1");
  const auto disk = folder.open();
  const Result<Written> written = disk->replace("a.md", etag_of("1"), "2");
  REQUIRE(written);
  CHECK(folder.get(".notesdb/.gitignore") == "*\n");
  std::filesystem::remove_all(folder.at(".notesdb"));
  CHECK(folder.get("a.md") == "2");
  CHECK(disk->undo_steps(written->change).error().code == ErrorCode::invalid_argument);
  REQUIRE(disk->replace("a.md", etag_of("2"), "3"));
  CHECK(folder.get("a.md") == "3");
}
