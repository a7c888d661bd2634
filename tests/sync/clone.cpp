#include "sync/clone.h"

#include <catch2/catch.hpp>

namespace notesdb::sync_test {

namespace {

std::string without_line_end(std::string text) {
  while (text.ends_with('\n'))
    text.pop_back();
  return text;
}

}  // namespace

Finished Clone::run(Words words, const std::string& folder) const {
  words.insert(words.begin(), {driving::program(), "--root", (path_ / folder).string()});
  return driving::run(words, environment_);
}

Finished Clone::run_copy(const std::string& program, Words words, const std::string& folder) const {
  words.insert(words.begin(), {program, "--root", (path_ / folder).string()});
  return driving::run(words, environment_);
}

Finished Clone::run_into(const std::string& path, Words words) const {
  words.insert(words.begin(),
               {"sh",
                "-c",
                "out=$1; shift; exec \"$@\" > \"$out\"",
                "sh",
                path,
                driving::program(),
                "--root",
                path_.string()});
  return driving::run(words, environment_);
}

Finished Clone::try_git(Words words) const {
  words.insert(words.begin(), {"git", "-C", path_.string()});
  return driving::run(words, environment_);
}

std::string Clone::git(Words words) const {
  Finished done = try_git(std::move(words));
  INFO(done.err << done.out);
  REQUIRE(done.exit_code == 0);
  return without_line_end(done.out);
}

void Clone::sync(const std::string& folder) const {
  Finished done = run({"sync"}, folder);
  INFO(done.err << done.out);
  REQUIRE(done.exit_code == 0);
}

void Clone::commit(const std::string& message) const {
  git({"add", "--all"});
  git({"commit", "--quiet", "-m", message});
}

Clones::Clones() {
  environment_ = {{"GIT_CONFIG_GLOBAL", (scratch_.path() / "gitconfig").string()},
                  {"GIT_CONFIG_NOSYSTEM", "1"},
                  {"HOME", scratch_.path().string()},
                  {"XDG_CACHE_HOME", (scratch_.path() / "cache").string()},
                  {"XDG_STATE_HOME", (scratch_.path() / "state").string()},
                  {"TZ", "UTC"}};
  configure("user.name", "Ann");
  configure("user.email", "ann@example.org");
  configure("init.defaultBranch", "main");
  configure("gc.auto", "0");
  REQUIRE(git({"init", "--quiet", "--bare", (scratch_.path() / "remote.git").string()}).exit_code ==
          0);
}

Finished Clones::git(Words words) const {
  words.insert(words.begin(), "git");
  return driving::run(words, environment_);
}

void Clones::configure(const std::string& name, const std::string& value) const {
  REQUIRE(git({"config", "--global", name, value}).exit_code == 0);
}

Clone Clones::make(const std::string& name) const {
  const std::filesystem::path path = scratch_.path() / name;
  REQUIRE(git({"clone", "--quiet", (scratch_.path() / "remote.git").string(), path.string()})
              .exit_code == 0);
  return {path, environment_};
}

}  // namespace notesdb::sync_test
