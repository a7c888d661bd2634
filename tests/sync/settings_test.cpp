// Sync is the user's own git: its signing, ignore files, line ends and limits hold, and its hooks
// where the user trusts the repository.
#include <chrono>
#include <filesystem>
#include <thread>

#include <catch2/catch.hpp>

#include "sync/clone.h"

namespace notesdb::sync_test {
namespace {

namespace fs = std::filesystem;

void write_program(const Clone& clone, const std::string& name, const std::string& text) {
  clone.write(name, "#!/bin/sh\n" + text);
  fs::permissions(clone.path() / name, fs::perms::owner_all);
}

std::string row(const std::string& status, const std::string& owner) {
  return "---\nstatus: " + status + "\nowner: " + owner + "\n---\n\nOne\nTwo\nThree\n";
}

struct Two {
  Two() {
    ann.write("tasks/_schema.md",
              "---\nname: Tasks\ncolumns:\n  - { id: status, type: text }\n"
              "  - { id: owner, type: text }\n---\n");
    ann.write("tasks/a.md", row("open", "ann"));
    ann.sync();
    bob.git({"pull", "--quiet"});
  }

  // Both change row a, and Bob is first.
  void part() const {
    bob.write("tasks/a.md", row("open", "bob"));
    bob.sync();
    ann.write("tasks/a.md", row("done", "ann"));
  }

  Clones clones;
  Clone ann = clones.make("ann");
  Clone bob = clones.make("bob");
};

}  // namespace

TEST_CASE("commits and merges of a sync are signed where git signs", "[sync]") {
  Two two;
  two.part();
  write_program(two.ann,
                ".git/sign",
                "printf '\\n[GNUPG:] SIG_CREATED ' >&2\ncat >/dev/null\n"
                "echo signed\n");
  two.ann.git({"config", "gpg.program", (two.ann.path() / ".git/sign").string()});
  two.ann.git({"config", "commit.gpgSign", "true"});
  two.ann.git({"config", "notesdb.mergeAhead", "1"});
  two.clones.configure("notesdb.trust", two.ann.path().string());
  two.ann.sync();
  CHECK(two.ann.git({"cat-file", "commit", "HEAD"}).find("gpgsig signed") != std::string::npos);
  CHECK(two.ann.git({"cat-file", "commit", "HEAD^1"}).find("gpgsig signed") != std::string::npos);
}

TEST_CASE("a hook that refuses stops a sync with its words, and nothing is pushed", "[sync]") {
  for (const std::string hook : {"pre-commit", "commit-msg", "pre-merge-commit", "pre-push"}) {
    INFO(hook);
    Two two;
    two.part();
    const std::string pushed = two.bob.git({"rev-parse", "HEAD"});
    write_program(two.ann, ".git/hooks/" + hook, "echo no, says the hook >&2\nexit 1\n");
    two.clones.configure("notesdb.trust", "*");
    Finished stopped = two.ann.run({"sync"});
    CHECK(stopped.exit_code == 1);
    CHECK(says(stopped, "no, says the hook"));
    CHECK(two.bob.git({"ls-remote", "origin", "main"}).starts_with(pushed));
    two.ann.remove(".git/hooks/" + hook);
    two.ann.sync();
    two.bob.sync();
    CHECK(two.bob.read("tasks/a.md") == row("done", "bob"));
  }
}

TEST_CASE("a program that the repository itself names stops a sync before anything changes",
          "[sync]") {
  Two two;
  two.part();
  const std::string head = two.ann.git({"rev-parse", "HEAD"});
  SECTION("a hook") {
    write_program(two.ann, ".git/hooks/pre-push", "exit 0\n");
    const Finished refused = two.ann.run({"sync"});
    CHECK(refused.exit_code == 1);
    CHECK(says(refused, "hooks/pre-push"));
    CHECK(says(refused, "git config --global --add notesdb.trust"));
  }
  SECTION("a key of the configuration") {
    two.ann.git({"config", "filter.crypt.clean", "cat"});
    CHECK(says(two.ann.run({"sync"}), "filter.crypt.clean"));
    CHECK(two.ann.run({"diff"}).exit_code == 0);
    CHECK(says(two.ann.run({"sync", "--dry-run"}), "filter.crypt.clean"));
  }
  SECTION("a remote within it") {
    two.ann.git({"remote", "set-url", "origin", "../remote.git"});
    CHECK(says(two.ann.run({"sync"}), "remote.origin.url"));
  }
  CHECK(two.ann.git({"rev-parse", "HEAD"}) == head);
  CHECK(two.ann.read("tasks/a.md") == row("done", "ann"));
}

TEST_CASE("the same programs run where the user's own configuration names them", "[sync]") {
  Two two;
  two.part();
  two.ann.write(".git/info/attributes", "*.md filter=mine\n");
  two.clones.configure("filter.mine.clean", "sed s/done/finished/");
  two.ann.sync();
  CHECK(two.ann.git({"show", "HEAD:tasks/a.md"}).find("status: finished") != std::string::npos);
}

TEST_CASE("the hook of git setup is no stranger's", "[sync]") {
  Two two;
  two.part();
  REQUIRE(two.ann.run({"git", "setup", "--hook"}).exit_code == 0);
  two.ann.write("tasks/a.md", "---\nstatus: [\n---\n");
  CHECK(two.ann.run({"sync"}).exit_code == 1);
  two.ann.write("tasks/a.md", row("done", "ann"));
  two.ann.sync();
}

TEST_CASE("a store that is tracked is neither committed nor merged, nor sent", "[sync]") {
  Two two;
  const std::string store = GENERATE(".notesdb", "tasks/.notesdb", ".NotesDB");
  INFO(store);
  two.bob.write(store + "/intent/current", "x\n");
  two.bob.git({"add", "--force", store});
  CHECK(says(two.bob.run({"sync"}), "git rm -r --cached " + store));
  two.bob.git({"commit", "--quiet", "-m", "brought along"});
  const std::string head = two.ann.git({"ls-remote", "origin", "main"});
  CHECK(says(two.bob.run({"sync"}), "git rm -r --cached " + store));
  CHECK(two.ann.git({"ls-remote", "origin", "main"}) == head);
  two.bob.git({"push", "--quiet", "origin", "HEAD:main"});
  two.ann.write("tasks/a.md", row("done", "ann"));
  const Finished refused = two.ann.run({"sync"});
  CHECK(refused.exit_code == 1);
  CHECK(says(refused, store));
  CHECK_FALSE(two.ann.has(store + "/intent/current"));
  two.bob.git({"rm", "-r", "--quiet", "--cached", store});
  two.bob.git({"commit", "--quiet", "-m", "taken out"});
  two.bob.git({"push", "--quiet", "origin", "HEAD:main"});
  two.ann.sync();
  CHECK_FALSE(two.ann.has(store + "/intent/current"));
}

TEST_CASE("a work tree that is said to be elsewhere is refused", "[sync]") {
  Two two;
  two.ann.git({"config", "core.worktree", "../.."});
  for (const driving::Words& words : {driving::Words{"diff"}, driving::Words{"sync"}})
    CHECK(says(two.ann.run(words), "core.worktree"));
}

TEST_CASE("what lies in git's own folder is not written through links", "[sync]") {
  Two two;
  two.part();
  const fs::path outside = two.clones.folder() / "outside";
  driving::write_bytes(outside, "mine\n");
  for (const char* name : {".git/notesdb-merging", ".git/info/attributes.notesdb"})
    fs::create_symlink(outside, two.ann.path() / name);
  two.ann.run({"git", "setup", "--remove"});
  two.ann.sync();
  CHECK(driving::read_bytes(outside) == "mine\n");
  CHECK(two.ann.read("tasks/a.md") == row("done", "bob"));
}

TEST_CASE("a file that a killed git left empty is not committed as work", "[sync]") {
  const Two two;
  const std::string before = two.ann.tree();
  two.ann.write("tasks/a.md", "");
  const Finished refused = two.ann.run({"sync"});
  CHECK(refused.exit_code == 1);
  CHECK(says(refused, "git checkout HEAD -- tasks/a.md"));
  CHECK(two.ann.tree() == before);
  two.ann.git({"checkout", "HEAD", "--", "tasks/a.md"});
  two.ann.sync();
  CHECK(two.ann.read("tasks/a.md") == row("open", "ann"));
  two.ann.write("tasks/a.md", "");
  two.ann.commit("meant");
  two.ann.sync();
  CHECK(two.ann.read("tasks/a.md").empty());
}

TEST_CASE("what a killed merge took away or emptied is put back, what somebody deleted is not",
          "[sync]") {
  const Two two;
  two.ann.write("tasks/b.md", row("open", "nobody"));
  two.ann.sync();
  two.bob.sync();
  const std::string schema = two.bob.read("tasks/_schema.md");
  two.bob.write("tasks/_schema.md", schema + "Bob's words\n");
  two.part();
  two.ann.commit("ours");
  two.ann.git({"fetch", "--quiet"});
  two.ann.write(".git/notesdb-merging", two.ann.git({"rev-parse", "HEAD", "origin/main"}) + "\n");
  two.ann.write("tasks/_schema.md", "");
  two.ann.remove("tasks/a.md");
  two.ann.remove("tasks/b.md");
  const Finished done = two.ann.run({"sync", "--json"});
  CHECK(done.exit_code == 0);
  CHECK(done.out.find("\"put_back\":[\"tasks/_schema.md\",\"tasks/a.md\"]") != std::string::npos);
  CHECK(two.ann.read("tasks/_schema.md") == schema + "Bob's words\n");
  CHECK(two.ann.read("tasks/a.md") == row("done", "bob"));
  CHECK_FALSE(two.ann.has("tasks/b.md"));
  CHECK_FALSE(two.ann.has(".git/notesdb-merging"));
  two.ann.remove("tasks/a.md");
  two.ann.sync();
  CHECK_FALSE(two.ann.has("tasks/a.md"));
}

TEST_CASE("rows that a killed merge has begun to write are not taken for work", "[sync]") {
  const Two two;
  const std::string whole = "---\nstatus: open\n---\n\nBob's words, of which git wrote half\n";
  two.bob.write("tasks/b.md", whole);
  two.bob.write("tasks/c.md", whole);
  two.bob.write("tasks/d.md", whole);
  two.part();
  two.ann.commit("ours");
  two.ann.git({"fetch", "--quiet"});
  two.ann.write(".git/notesdb-merging", two.ann.git({"rev-parse", "HEAD", "origin/main"}) + "\n");
  two.ann.write("tasks/a.md", row("done", "bob").substr(0, 12));  // of the outcome
  two.ann.write("tasks/b.md", "");
  two.ann.write("tasks/c.md", whole.substr(0, 40));
  two.ann.write("tasks/d.md", "---\nstatus: done\n---\n\nAnn's own, made since\n");
  const Finished done = two.ann.run({"sync", "--json"});
  CHECK(done.exit_code == 0);
  CHECK(done.out.find("\"put_back\":[\"tasks/a.md\",\"tasks/b.md\",\"tasks/c.md\"]") !=
        std::string::npos);
  CHECK(two.ann.read("tasks/a.md") == row("done", "bob"));
  CHECK(two.ann.read("tasks/b.md") == whole);
  CHECK(two.ann.read("tasks/c.md") == whole);
  CHECK_FALSE(two.ann.has("tasks/b-2.md"));
  CHECK(two.ann.read("tasks/d-2.md").ends_with("Ann's own, made since\n"));
}

TEST_CASE("a row that a killed merge has begun to rename keeps our edit of it", "[sync]") {
  const Two two;
  two.ann.write("tasks/a.md", row("done", "bob"));
  two.ann.sync();
  two.bob.sync();
  REQUIRE(two.bob.run({"rename", "tasks", "a", "b"}).exit_code == 0);
  const std::string renamed = two.bob.read("tasks/b.md");
  two.bob.sync();
  two.ann.write("tasks/a.md", renamed + "Ann's words\n");
  two.ann.commit("ours");
  two.ann.git({"fetch", "--quiet"});
  two.ann.write(".git/notesdb-merging", two.ann.git({"rev-parse", "HEAD", "origin/main"}) + "\n");
  two.ann.remove("tasks/a.md");
  two.ann.write("tasks/b.md", renamed);
  const Finished done = two.ann.run({"sync", "--json"});
  CHECK(done.exit_code == 0);
  CHECK(done.out.find("\"put_back\":[\"tasks/a.md\",\"tasks/b.md\"]") != std::string::npos);
  CHECK(two.ann.read("tasks/b.md") == renamed + "Ann's words\n");
  CHECK_FALSE(two.ann.has("tasks/a.md"));
}

TEST_CASE("an edit of a row that others renamed is not dropped where their row is here already",
          "[sync]") {
  const Two two;
  two.ann.write("tasks/a.md", row("done", "bob"));
  two.ann.sync();
  two.bob.sync();
  const std::string renamed = row("done", "bob") + "Renamed\n";
  const Clone& editor = GENERATE(0, 1) == 0 ? two.ann : two.bob;
  const Clone& renamer = &editor == &two.ann ? two.bob : two.ann;
  editor.write("tasks/a.md", row("done", "bob") + "An edit\n");
  editor.write("tasks/b.md", renamed);
  renamer.remove("tasks/a.md");
  renamer.write("tasks/b.md", renamed);
  two.bob.sync();
  const Finished stopped = two.ann.run({"sync"});
  CHECK(stopped.exit_code == 1);
  CHECK(says(stopped, "tasks/a.md (_row)"));
  const std::string edited = &editor == &two.ann ? "--ours" : "--theirs";
  CHECK(two.ann.run({"resolve", "tasks", "a", edited}).exit_code == 0);
  CHECK(two.ann.read("tasks/a.md").ends_with("An edit\n"));
  CHECK(two.ann.read("tasks/b.md") == renamed);
}

TEST_CASE("a sync keeps what the log of a row is quick by, unless git is to be without", "[sync]") {
  const Two two;
  const std::string graphs = ".git/objects/info/commit-graphs";
  CHECK(two.ann.has(graphs));
  CHECK_FALSE(two.bob.has(graphs));
  two.bob.git({"config", "core.commitGraph", "no"});
  two.bob.sync();
  CHECK_FALSE(two.bob.has(graphs));
  two.part();
  two.ann.sync();
  two.ann.git({"commit-graph", "verify", "--no-progress"});
  CHECK(two.ann.run({"log", "tasks", "a"}).exit_code == 0);
}

TEST_CASE("a sync waits while another git works here", "[sync]") {
  const Two two;
  two.part();
  const std::string lock = GENERATE(".git/index.lock", ".git/refs/remotes/origin/main.lock");
  two.ann.write(lock, "");
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    fs::remove(two.ann.path() / lock);
  });
  const Finished done = two.ann.run({"sync"});
  other.join();
  CHECK(done.exit_code == 0);
  CHECK(two.ann.read("tasks/a.md") == row("done", "bob"));
}

TEST_CASE("what a killed merge leaves at the top is not committed as work", "[sync]") {
  const Two two;
  two.ann.write(".merge_file_3R47Rc", row("open", "ann"));
  two.ann.write("tasks/a.md", row("done", "ann"));
  two.ann.sync();
  CHECK(two.ann.git({"ls-files", ".merge_file_3R47Rc"}).empty());
  CHECK(two.ann.git({"log", "-1", "--format=%s"}) == "tasks: a (status)");
  const std::string before = two.ann.tree();
  two.ann.sync();
  CHECK(two.ann.tree() == before);
}

TEST_CASE("what git ignores is not committed", "[sync]") {
  Two two;
  two.ann.write(".gitignore", "*.tmp\n");
  two.ann.write("tasks/draft.tmp", "mine\n");
  two.ann.write(".git/info/exclude", "private/\n");
  two.ann.write("private/diary.md", "mine\n");
  two.ann.sync();
  CHECK(two.ann.git({"ls-files"}) == ".gitignore\ntasks/_schema.md\ntasks/a.md");
}

TEST_CASE("a clone with other line ends merges the same rows and changes no others", "[sync]") {
  Two two;
  two.ann.git({"config", "core.autocrlf", "true"});
  two.ann.remove("tasks/a.md");
  two.ann.git({"checkout", "--", "tasks/a.md"});
  REQUIRE(two.ann.read("tasks/a.md").find("\r\n") != std::string::npos);
  two.bob.write("tasks/a.md", row("open", "bob"));
  two.bob.sync();
  CHECK(two.ann.run({"update", "tasks", "a", "--set", "status=done"}).exit_code == 0);
  two.ann.sync();
  two.bob.sync();
  CHECK(two.bob.read("tasks/a.md") == row("done", "bob"));
  CHECK(two.ann.git({"status", "--porcelain"}).empty());
  CHECK(two.ann.tree() == two.bob.tree());
}

TEST_CASE("a sparse checkout syncs what it has and deletes nothing else", "[sync]") {
  Two two;
  two.ann.write("people/_schema.md", "---\nname: P\ncolumns:\n  - { id: name, type: text }\n---\n");
  two.ann.write("people/carl.md", "---\nname: Carl\n---\n");
  two.ann.sync();
  two.bob.sync();
  two.bob.git({"sparse-checkout", "set", "tasks"});
  REQUIRE_FALSE(two.bob.has("people/carl.md"));
  two.bob.write("tasks/a.md", row("done", "ann"));
  two.ann.write("people/carl.md", "---\nname: Carl the Great\n---\n");
  two.ann.write("tasks/a.md", row("open", "carl"));
  two.ann.sync();
  two.bob.sync();
  two.ann.sync();
  CHECK(two.ann.read("people/carl.md") == "---\nname: Carl the Great\n---\n");
  CHECK(two.ann.read("tasks/a.md") == row("done", "carl"));
  CHECK(two.ann.tree() == two.bob.tree());
}

TEST_CASE("a repository within the workspace is left to its owner", "[sync]") {
  Two two;
  two.part();
  two.ann.git({"init", "--quiet", "within"});
  two.ann.write("within/note.md", "mine\n");
  two.ann.git({"-C", "within", "add", "--all"});
  two.ann.git({"-C", "within", "commit", "--quiet", "-m", "mine"});
  two.ann.sync();
  CHECK(two.ann.git({"ls-files"}).find("within") == std::string::npos);
  two.bob.sync();
  CHECK(two.bob.read("tasks/a.md") == row("done", "bob"));
}

TEST_CASE("a workspace below the top of its repository syncs itself and nothing beside it",
          "[sync]") {
  Clones clones;
  Clone ann = clones.make("ann");
  ann.write("code.txt", "1\n");
  ann.write("notes/tasks/_schema.md",
            "---\nname: T\ncolumns:\n  - { id: status, type: text }\n---\n");
  ann.write("notes/tasks/a.md", "---\nstatus: open\n---\n");
  ann.commit("first");
  ann.write("code.txt", "2\n");
  ann.write("notes/tasks/a.md", "---\nstatus: done\n---\n");
  ann.sync("notes");
  CHECK(ann.git({"status", "--porcelain"}) == " M code.txt");
  CHECK(ann.git({"log", "-1", "--format=%s"}) == "tasks: a (status)");
}

}  // namespace notesdb::sync_test
