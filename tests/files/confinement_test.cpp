// Confining cannot be taken back, so each trial is a process of its own.
#include "files/confinement.h"

#include <cerrno>
#include <functional>
#include <string>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/descriptor.h"
#include "files/etag.h"
#include "files/temporary_folder.h"

using namespace notesdb;

namespace {

// What `work` answers in a process that may change `inside` alone.
int confined(const TemporaryFolder& folder, const std::function<int()>& work) {
  constexpr int not_confined = 99;
  const pid_t child = ::fork();
  if (child == 0) {
    Confines confines;
    confines.changeable = {folder.at("inside"), folder.at("no such folder")};
    confines.readable = {folder.at("readable")};
    ::_exit(confine_to(confines) ? work() : not_confined);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

int error_of_opening(const std::string& path, int flags) {
  constexpr mode_t owner_only = 0600;
  const Descriptor file(::open(path.c_str(), flags | O_CLOEXEC, owner_only));
  return file ? 0 : errno;
}

bool can_confine() {
  if (landlock_version() >= least_landlock_version) return true;
  WARN("skipped: this kernel has no Landlock that could be used");
  return false;
}

}  // namespace

TEST_CASE("a confined process opens nothing outside", "[files][confinement]") {
  if (!can_confine()) return;
  const TemporaryFolder folder;
  for (const char* name : {"inside/a.md", "readable/b.md", "outside/c.md"})
    folder.put(name, "x");
  const auto error = [&](const std::string& name, int flags) {
    return confined(folder, [&] { return error_of_opening(folder.at(name), flags); });
  };
  CHECK(error("inside/a.md", O_RDWR) == 0);
  CHECK(error("inside/new.md", O_WRONLY | O_CREAT) == 0);
  CHECK(error("readable/b.md", O_RDONLY) == 0);
  CHECK(error("readable/b.md", O_WRONLY) == EACCES);
  CHECK(error("readable/new.md", O_WRONLY | O_CREAT) == EACCES);
  CHECK(error("outside/c.md", O_RDONLY) == EACCES);
  CHECK(error("outside/c.md", O_WRONLY | O_TRUNC) == EACCES);
  CHECK(error("outside/new.md", O_WRONLY | O_CREAT) == EACCES);
  CHECK(folder.get("outside/c.md") == "x");
}

TEST_CASE("a confined process makes no links and moves nothing out", "[files][confinement]") {
  if (!can_confine()) return;
  const TemporaryFolder folder;
  folder.put("inside/a.md", "x");
  folder.put("outside/c.md", "x");
  const std::string inside = folder.at("inside/a.md");
  CHECK(confined(folder, [&] {
          return ::symlink("/etc/passwd", folder.at("inside/link").c_str()) == 0 ? 0 : errno;
        }) == EACCES);
  CHECK(confined(folder, [&] {
          return ::rename(inside.c_str(), folder.at("outside/a.md").c_str()) == 0 ? 0 : errno;
        }) == EACCES);
  CHECK(confined(folder, [&] { return ::unlink(folder.at("outside/c.md").c_str()) == 0; }) == 0);
  CHECK(folder.get("inside/a.md") == "x");
}

TEST_CASE("a confined process connects to nobody and listens where it may",
          "[files][confinement]") {
  if (!can_confine() || landlock_version() < first_landlock_with_network) return;
  const TemporaryFolder folder;
  const auto address_of = [](std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  };
  const auto use = [&](auto call, std::uint16_t port) {
    return confined(folder, [&] {
      const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const sockaddr_in address = address_of(port);
      const auto* general = reinterpret_cast<const sockaddr*>(&address);
      return call(socket.get(), general, sizeof address) == 0 ? 0 : errno;
    });
  };
  CHECK(use(::connect, 9) == EACCES);
  CHECK(use(::bind, 0) == EACCES);
}

TEST_CASE("a confined process changes its rows as before", "[files][confinement]") {
  if (!can_confine()) return;
  const TemporaryFolder folder;
  folder.put("inside/tasks/a.md", "1");
  folder.put("inside/tasks/b.md", "1");
  const auto work = [&] {
    Result<std::unique_ptr<Disk>> disk = Disk::open(folder.at("inside"));
    if (!disk) return 1;
    if (!(*disk)->replace("tasks/a.md", etag_of("1"), "2")) return 2;
    if (!(*disk)->create("other/new.md", "1")) return 3;
    if (!(*disk)->rename("other/new.md", "tasks/c.md", etag_of("1"))) return 4;
    if (!(*disk)->remove("tasks/b.md", etag_of("1"))) return 5;
    const auto steps = (*disk)->undo_steps((*disk)->history("tasks/b.md", 1)->front().change);
    return steps && (*disk)->apply(*steps) ? 0 : 6;
  };
  CHECK(confined(folder, work) == 0);
  CHECK(folder.get("inside/tasks/a.md") == "2");
  CHECK(folder.get("inside/tasks/b.md") == "1");
  CHECK(folder.get("inside/tasks/c.md") == "1");
}
