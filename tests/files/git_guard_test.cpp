#include "files/git_guard.h"

#include <filesystem>

#include <catch2/catch.hpp>
#include <fcntl.h>

#include "files/descriptor.h"
#include "files/temporary_folder.h"

using namespace notesdb;

namespace {

class Guarded {
 public:
  explicit Guarded(const std::string& root)
      : root_(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), guard_(root_.get(), ".") {}
  bool git_is_working() const { return guard_.git_is_working(); }

 private:
  Descriptor root_;
  GitGuard guard_;
};

}  // namespace

TEST_CASE("a repository that is made above the root later is seen", "[files]") {
  const TemporaryFolder folder("/tmp");
  folder.put("above/middle/notes/a.md", "1");
  const Guarded guard(folder.at("above/middle/notes"));
  CHECK_FALSE(guard.git_is_working());
  folder.put("above/.git/index.lock", "");
  CHECK(guard.git_is_working());
  folder.put("above/middle/.git/HEAD", "");
  CHECK_FALSE(guard.git_is_working());
  folder.put("above/middle/notes/.git/index.lock", "");
  CHECK(guard.git_is_working());
  std::filesystem::remove_all(folder.at("above/middle/notes/.git"));
  std::filesystem::remove_all(folder.at("above/middle/.git"));
  CHECK(guard.git_is_working());
  std::filesystem::remove(folder.at("above/.git/index.lock"));
  CHECK_FALSE(guard.git_is_working());
}

TEST_CASE("a root that was moved is guarded where it is", "[files]") {
  const TemporaryFolder folder("/tmp");
  folder.put("notes/a.md", "1");
  folder.put("one/two/.git/index.lock", "");
  folder.put("one/two/three/four/five/six/b.md", "1");
  const Guarded guard(folder.at("notes"));
  CHECK_FALSE(guard.git_is_working());
  std::filesystem::rename(folder.at("notes"), folder.at("one/two/three/four/five/six/notes"));
  CHECK(guard.git_is_working());
  std::filesystem::rename(folder.at("one/two"), folder.at("two"));
  CHECK(guard.git_is_working());
  std::filesystem::rename(folder.at("two/three/four/five/six/notes"), folder.at("notes"));
  CHECK_FALSE(guard.git_is_working());
}
