#include "files/reading.h"

#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "files/etag.h"
#include "files/kernel.h"
#include "files/temporary_folder.h"

using namespace notesdb;

TEST_CASE("a file is read with the etag of exactly its bytes", "[files]") {
  const TemporaryFolder folder;
  const std::string bytes("\xef\xbb\xbf---\r\nstatus: \0x\r\n", 20);
  folder.put("stories/row-001.md", bytes);
  const Result<FileBytes> read = folder.open()->read("stories/row-001.md");
  REQUIRE(read);
  CHECK(read->bytes == bytes);
  CHECK(read->etag == etag_of(bytes));
  CHECK(read->key.size == bytes.size());
  CHECK_FALSE(read->being_written);
}

TEST_CASE("reading leaves no trace", "[files]") {
  const TemporaryFolder folder;
  folder.put("a/b.md", "x");
  const auto disk = folder.open();
  CHECK(disk->read("a/b.md"));
  CHECK(disk->list("a"));
  CHECK(disk->history("", 10));
  CHECK(disk->recover());
  CHECK_FALSE(folder.has(".notesdb"));
}

TEST_CASE("reading leaves the time of access as it is", "[files]") {
  const TemporaryFolder folder;
  folder.put("a.md", "x");
  // Older than the last change, so that the kernel would note any reading.
  const timespec times[2] = {{1'000'000, 0}, {2'000'000, 0}};
  REQUIRE(::utimensat(AT_FDCWD, folder.at("a.md").c_str(), times, 0) == 0);
  const auto disk = folder.open();
  CHECK(disk->read("a.md"));
  const std::vector<const char*> names{"a.md"};
  CHECK(disk->read_all(
      ".", names, [](const FileView& view) { CHECK(view.state == ReadState::whole); }));
  struct stat status {};
  REQUIRE(::stat(folder.at("a.md").c_str(), &status) == 0);
  CHECK(status.st_atim.tv_sec == times[0].tv_sec);
}

TEST_CASE("a folder lists every name with its kind", "[files]") {
  const TemporaryFolder folder;
  folder.put("a/b.md", "x");
  folder.put("a/.hidden", "x");
  folder.put("a/sub/c.md", "x");
  REQUIRE(::symlink("b.md", folder.at("a/link.md").c_str()) == 0);
  REQUIRE(::mkfifo(folder.at("a/pipe.md").c_str(), 0600) == 0);
  const Result<std::vector<Entry>> entries = folder.open()->list("a");
  REQUIRE(entries);
  std::map<std::string, FileKind> kinds;
  for (const Entry& entry : *entries)
    kinds[entry.name] = entry.kind;
  CHECK(kinds == std::map<std::string, FileKind>{{"b.md", FileKind::regular},
                                                 {".hidden", FileKind::regular},
                                                 {"sub", FileKind::folder},
                                                 {"link.md", FileKind::link},
                                                 {"pipe.md", FileKind::other}});
}

TEST_CASE("what is missing is told from what may not be read", "[files]") {
  const TemporaryFolder folder;
  folder.put("a/b.md", "x");
  const auto disk = folder.open();
  CHECK(disk->read("a/none.md").error().code == ErrorCode::unknown_row);
  CHECK(disk->read("none/b.md").error().code == ErrorCode::unknown_row);
  CHECK(disk->list("none").error().code == ErrorCode::unknown_row);
  CHECK(disk->read("a").error().code == ErrorCode::path_not_allowed);
  CHECK(disk->read("a/../a/b.md").error().code == ErrorCode::path_not_allowed);
  CHECK(disk->stat("a/none.md")->kind == FileKind::missing);
  CHECK(disk->stat("none/none.md")->kind == FileKind::missing);
  CHECK(disk->stat("a/b.md")->kind == FileKind::regular);
  CHECK(disk->stat(".")->kind == FileKind::folder);
}

TEST_CASE("no link, pipe, socket or device is read, and none of them blocks", "[files]") {
  const TemporaryFolder outside;
  outside.put("secret.md", "secret");
  const TemporaryFolder folder;
  folder.put("a/b.md", "x");
  REQUIRE(::symlink(outside.at("secret.md").c_str(), folder.at("a/out.md").c_str()) == 0);
  REQUIRE(::symlink("b.md", folder.at("a/in.md").c_str()) == 0);
  REQUIRE(::symlink("nowhere", folder.at("a/dangling.md").c_str()) == 0);
  REQUIRE(::symlink("loop.md", folder.at("a/loop.md").c_str()) == 0);
  REQUIRE(::symlink(outside.path().c_str(), folder.at("door").c_str()) == 0);
  REQUIRE(::mkfifo(folder.at("a/pipe.md").c_str(), 0600) == 0);
  std::vector<std::string> names = {
      "a/out.md", "a/in.md", "a/dangling.md", "a/loop.md", "a/pipe.md", "door/secret.md"};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string socket_path = folder.at("a/socket.md");
  if (socket_path.size() < sizeof address.sun_path) {
    socket_path.copy(static_cast<char*>(address.sun_path), socket_path.size());
    const int file = ::socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(::bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    ::close(file);
    names.emplace_back("a/socket.md");
  }
  if (::mknod(folder.at("a/zero.md").c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0) {
    names.emplace_back("a/zero.md");
  }
  const auto disk = folder.open();
  for (const std::string& name : names) {
    INFO(name);
    const Result<FileBytes> read = disk->read(name);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::path_not_allowed);
    CHECK(read.error().message.find(folder.path()) == std::string::npos);
    CHECK(read.error().message.find(outside.path()) == std::string::npos);
  }
}

TEST_CASE("a file over the cap is refused, also when it is sparse", "[files]") {
  const TemporaryFolder folder;
  folder.put("big.md", std::string(101, 'x'));
  folder.put("sparse.md", "");
  REQUIRE(::truncate(folder.at("sparse.md").c_str(), off_t{1} << 40U) == 0);
  const auto disk = folder.open();
  CHECK(disk->read("big.md", 101));
  CHECK(disk->read("big.md", 100).error().code == ErrorCode::limit_exceeded);
  CHECK(disk->read("sparse.md").error().code == ErrorCode::limit_exceeded);
}

TEST_CASE("a file whose size and bytes never agree is given as being written", "[files]") {
  // The kernel says that this file has no bytes, and gives some: a file in motion that never rests.
  const Descriptor file = kernel::open_to_read(AT_FDCWD, "/proc/self/status");
  if (!file) {
    WARN("no /proc here: skipped");
    return;
  }
  std::string bytes;
  CHECK(read_settled(file.get(), max_file, bytes).state == ReadState::being_written);
  CHECK_FALSE(bytes.empty());
}

TEST_CASE("a pass over many files on both cores answers each at its place", "[files]") {
  const TemporaryFolder folder;
  std::vector<std::string> names;
  for (int i = 0; i < 1'000; ++i) {
    names.push_back("row-" + std::to_string(i) + ".md");
    folder.put(names.back(), "row " + std::to_string(i));
  }
  names.emplace_back("none.md");
  names.emplace_back("../" + folder.path().substr(folder.path().rfind('/') + 1) + "/row-1.md");
  std::vector<const char*> pointers;
  for (const std::string& name : names)
    pointers.push_back(name.c_str());
  const auto disk = folder.open();

  std::vector<FileStat> stats(names.size());
  REQUIRE(disk->stat_all(".", pointers, stats));
  std::vector<std::string> bytes(names.size());
  std::vector<ReadState> states(names.size());
  REQUIRE(disk->read_all(".", pointers, [&](const FileView& view) {
    bytes[view.index] = view.bytes;
    states[view.index] = view.state;
  }));
  for (std::size_t i = 0; i < 1'000; ++i) {
    REQUIRE(stats[i].kind == FileKind::regular);
    REQUIRE(stats[i].key == disk->stat(names[i])->key);
    REQUIRE(bytes[i] == "row " + std::to_string(i));
    REQUIRE(states[i] == ReadState::whole);
  }
  for (std::size_t i = 1'000; i < names.size(); ++i) {
    CHECK(stats[i].kind == FileKind::missing);
    CHECK(states[i] == ReadState::missing);
  }
}

TEST_CASE("the root is opened once and not found again when it was replaced", "[files]") {
  const TemporaryFolder folder;
  folder.put("root/a.md", "old");
  Result<std::unique_ptr<Disk>> disk = Disk::open(folder.at("root"));
  REQUIRE(disk);
  std::filesystem::rename(folder.at("root"), folder.at("moved"));
  folder.put("root/a.md", "another");
  const Result<Written> written = (*disk)->create("b.md", "x");
  REQUIRE_FALSE(written);
  CHECK(written.error().code == ErrorCode::io_error);
  CHECK_FALSE(folder.has("root/b.md"));
  CHECK(Disk::open(folder.at("none")).error().code == ErrorCode::io_error);
  CHECK(Disk::open(folder.at("root/a.md")).error().code == ErrorCode::invalid_argument);
}
