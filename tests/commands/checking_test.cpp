// check as a git hook runs it. What it says of all files is in fixtures/cases/check.
#include <string>

#include <catch2/catch.hpp>

#include "driving/folder.h"
#include "driving/process.h"
#include "driving/workspace.h"

namespace notesdb {
namespace {

using driving::Finished;
using driving::Words;

class Checked : public driving::Workspace {
 public:
  Checked() {
    write("t/_schema.md",
          "---\nname: T\ncolumns:\n  - { id: title, type: text, required: true }\n"
          "  - { id: status, type: select, options: [open, done] }\n---\n");
    write("t/a.md", "---\ntitle: A\nstatus: open\n---\n");
    write("t/c.md", "---\nstatus: late\n---\n");
  }

  Finished run(Words words) const {
    words.insert(words.begin(), driving::program());
    const Words flags = this->flags();
    words.insert(words.end(), flags.begin(), flags.end());
    return driving::run(words, environment());
  }
  void git(const Words& words) const {
    Words all{
        "/usr/bin/env", "git", "-C", root().string(), "-c", "user.name=a", "-c", "user.email=a@b"};
    all.insert(all.end(), words.begin(), words.end());
    REQUIRE(driving::run(all, {{"PATH", "/usr/bin:/bin"}}).exit_code == 0);
  }
};

TEST_CASE("check --changed looks at what git does not have yet", "[commands]") {
  if (!driving::is_installed("git")) return;
  const Checked workspace;
  workspace.git({"init", "-q"});
  workspace.git({"add", "-A"});
  workspace.git({"commit", "-qm", "all"});
  const Finished clean = workspace.run({"check", "--changed"});
  CHECK(clean.exit_code == 0);
  CHECK(clean.err == "no issues: no changed file lies in a database\n");
  workspace.write("u/_schema.yaml", "name: U\ncolumns: []\n");
  workspace.write("t/d.md", "---\nstatus: never\ntitle: D\n---\n");
  const Finished done = workspace.run({"check", "--changed"});
  CHECK(done.out.find("t/d.md:2:9: error: 'never'") == 0);
  CHECK(done.out.find("t/c.md") == std::string::npos);
  CHECK(done.err == "1 error, 0 warnings in 2 databases\n");
  CHECK(workspace.run({"check", "--staged"}).exit_code == 0);
  workspace.git({"add", "-A"});
  CHECK(workspace.run({"check", "--staged"}).exit_code == 1);
}

}  // namespace
}  // namespace notesdb
