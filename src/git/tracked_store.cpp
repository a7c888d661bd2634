#include "git/tracked_store.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "core/text.h"

namespace notesdb {

namespace {

constexpr std::string_view store_name = ".notesdb";

// As file systems that do not tell letters apart would take it.
bool is_store(std::string_view segment) {
  return std::ranges::equal(segment, store_name, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

// The path up to the first segment that is a store.
std::optional<std::string> store_in(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (is_store(path.substr(begin, end - begin))) return std::string(path.substr(0, end));
    begin = end + 1;
  }
  return std::nullopt;
}

std::optional<std::string> first_store(const std::vector<std::string>& paths) {
  for (const std::string& path : paths)
    if (std::optional<std::string> store = store_in(path)) return store;
  return std::nullopt;
}

Result<std::vector<std::string>> listed(const Repository& repository, const Words& words) {
  Result<ProgramEnd> end = repository.run(words);
  if (!end) return end.error();
  if (!end->ok()) return repository.failure(*end, words.front());
  return items_of(end->out);
}

Error tracked(const std::string& store, const std::string& where, const std::string& fix) {
  const std::string path = escape_controls(store);
  return {ErrorCode::path_not_allowed,
          "'" + path + "' is tracked by git in " + where +
              ", but belongs to one machine alone; nothing was merged or sent. " + fix +
              " `git rm -r --cached " + path + "` and commit",
          Map{{"path", store}}};
}

}  // namespace

Result<void> refuse_tracked_store(const Repository& repository) {
  const std::string fix = "Take it out with";
  Result<std::vector<std::string>> paths = listed(repository, {"ls-files", "-z", "--", "."});
  if (!paths) return paths.error();
  if (const auto store = first_store(*paths)) return tracked(*store, "the index", fix);
  Result<ProgramEnd> head = repository.run({"rev-parse", "--verify", "--quiet", "HEAD"});
  if (!head) return head.error();
  if (!head->ok()) return {};
  paths = listed(repository, {"ls-tree", "-r", "-t", "-z", "--name-only", "--full-tree", "HEAD"});
  if (!paths) return paths.error();
  const auto store = first_store(*paths);
  return store ? tracked(*store, "HEAD", fix) : Result<void>();
}

Result<void> refuse_incoming_store(const Repository& repository, const std::string& commit) {
  Result<ProgramEnd> base = repository.run({"merge-base", "HEAD", commit});
  if (!base) return base.error();
  const std::string from =
      base->ok() ? base->out.substr(0, base->out.find('\n')) : std::string(empty_tree);
  Result<std::vector<std::string>> paths = listed(repository,
                                                  {"diff",
                                                   "--name-only",
                                                   "-z",
                                                   "--no-relative",
                                                   "--no-renames",
                                                   "--no-ext-diff",
                                                   "--no-textconv",
                                                   "--diff-filter=d",
                                                   from,
                                                   commit});
  if (!paths) return paths.error();
  const auto store = first_store(*paths);
  return store ? tracked(*store, "the commits to be merged", "Whoever sent it takes it out with")
               : Result<void>();
}

}  // namespace notesdb
