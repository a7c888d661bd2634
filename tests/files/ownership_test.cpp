#include <catch2/catch.hpp>
#include <unistd.h>

#include "files/writable_path.h"

namespace notesdb {
namespace {

struct stat made_by(uid_t owner, mode_t mode) {
  struct stat status {};
  status.st_uid = owner;
  status.st_gid = 77;
  status.st_mode = S_IFREG | mode;
  return status;
}

constexpr uid_t somebody = 65531;

TEST_CASE("what others own or may write decides nothing", "[files]") {
  const auto distrust = [](uid_t owner, mode_t mode) {
    return find_distrust(made_by(owner, mode), Trusted::us_or_root).value_or("");
  };
  const uid_t us = ::geteuid();
  CHECK(distrust(us, 0644).empty());
  CHECK(distrust(us, 0664).empty());
  CHECK(distrust(0, 0644).empty());
  CHECK(distrust(us, 0666) == "can be written by every user");
  CHECK(distrust(us, 01777) == "can be written by every user");
  CHECK(distrust(somebody, 0644) == "belongs to another user (uid 65531)");
  CHECK(distrust(somebody, 0600) == "belongs to another user (uid 65531)");
  if (us != 0) CHECK(distrust(0, 0664) == "can be written by its group (gid 77)");
}

TEST_CASE("a cache is its user's alone", "[files]") {
  const auto distrust = [](uid_t owner, mode_t mode) {
    return find_distrust(made_by(owner, mode), Trusted::us_alone).value_or("");
  };
  const uid_t us = ::geteuid();
  CHECK(distrust(us, 0700).empty());
  CHECK(distrust(us, 0755).empty());
  CHECK(distrust(us, 0770) == "can be written by its group (gid 77)");
  CHECK(distrust(us, 0777) == "can be written by every user");
  CHECK(distrust(somebody, 0700) == "belongs to another user (uid 65531)");
  if (us != 0) CHECK(distrust(0, 0700) == "belongs to another user (uid 0)");
}

}  // namespace
}  // namespace notesdb
