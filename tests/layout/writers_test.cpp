// Who may write, move, make or remove a file, by the calls of the system that do it.
#include <map>
#include <regex>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "layout/sources.h"

namespace notesdb::layout {
namespace {

// What changes files, and what each source does with it. A source of files/ is given places that
// Change has found by check_writable_folder; all others are named with what they may touch, which
// is not a file of a workspace but those of git that `git setup` is about.
const std::map<std::string, std::string> writers = {
    {"src/files/cache_file.cpp", "the cache, outside the workspace"},
    {"src/files/change.cpp",
     "rows, by place_of; new versions and kept ones, in the store or hidden beside a row"},
    {"src/files/file_claim.cpp",
     "rows and kept versions, at places that a change gives; mode and owner of files it has made"},
    {"src/files/guarantees.cpp", "trials in the store"},
    {"src/files/intent.cpp", "the store"},
    {"src/files/journal_gc.cpp", "the store; conflict copies, by check_writable_path"},
    {"src/files/journal.cpp", "the store"},
    {"src/files/kernel.cpp", "what its callers name"},
    {"src/files/lock.cpp", "the store"},
    {"src/files/store.cpp", "the store, and its place; the state folder, outside the workspace"},
    {"src/files/waiting_mark.cpp", "the store"},
    {"src/files/writable_path.cpp", "takes rights away"},
    {"src/cli/edit_command.cpp", "a file for the editor, outside the workspace"},
    {"src/database/cache_place.cpp", "takes rights away from the cache, outside the workspace"},
    {"src/exchange/output_file.cpp", "the file of an export, refused where it would be a row"},
    {"src/git/killed_merge.cpp", "files that a killed merge of git's has left, as HEAD has them"},
    {"src/git/merge_commit.cpp",
     "an index, and for one merge a program, of its own in git's directory"},
    {"src/git/past.cpp", "the cache, outside the workspace"},
    {"src/git/row_merge.cpp", "the file that git names to a merge driver"},
    {"src/git/setup.cpp", ".gitattributes, hooks and git's configuration, for `git setup`"},
    {"src/git/sync.cpp", "a lock in git's directory"},
    {"src/git/untold_rows.cpp", "what a sync has yet to tell, in git's directory"},
    {"src/search/index_file.cpp", "the cache, outside the workspace"},
    {"src/serving/install.cpp", "configurations of hosts, outside the workspace"},
    {"src/serving/command_server.cpp", "its socket, outside the workspace"},
    {"src/serving/local_place.cpp", "its socket, outside the workspace"},
    {"src/serving/server_confinement.cpp", "the cache's folder, outside the workspace"},
};

TEST_CASE("files are written by the sources that are known to", "[layout]") {
  const std::regex call(
      R"re((?:^|[^\w>])::(mkdirat|mkdir|renameat|renameat2|linkat|link|unlinkat|unlink|symlink|symlinkat|rename|rmdir|fchmod|fchmodat|chmod|fchown|mkstemp|mkostemp|truncate|ftruncate|mknod|mknodat)\(|std::(remove|ofstream|rename)\b|\bO_(CREAT|TMPFILE|WRONLY|RDWR)\b|fopen\([^)]*"[wa]|\bfs::(remove|rename|copy|create|permissions)\w*\(|filesystem::(remove|rename|copy|create|permissions)\w*\()re");
  std::set<std::string> found;
  for (const Source& source : all_sources()) {
    if (!source.under("src/") || !source.is_cpp()) continue;
    const auto lines = source.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!std::regex_search(lines[i].begin(), lines[i].end(), call)) continue;
      found.insert(source.path);
      INFO(place(source, i) << ": " << lines[i]);
      INFO("rows are written by FileSystem::apply; what else is written is named in this test");
      CHECK(writers.contains(source.path));
    }
  }
  for (const auto& [path, what] : writers) {
    INFO(path << " writes no more: take it off the list");
    CHECK(found.contains(path));
  }
}

}  // namespace
}  // namespace notesdb::layout
