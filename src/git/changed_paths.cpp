#include "git/changed_paths.h"

namespace notesdb {

namespace {

// What `git status --porcelain -z --no-renames` prints: "XY path\0", paths from the top of the
// work tree; X is the index, Y the work tree.
bool is_meant(char index, char tree, ChangedSince since) {
  if (since == ChangedSince::index) return index != ' ' && index != '?' && index != 'D';
  return tree != 'D' && (tree != ' ' || index != 'D');
}

}  // namespace

Result<std::set<std::string, std::less<>>> changed_paths(const Repository& repository,
                                                         ChangedSince since) {
  Words words = {"status",
                 "--porcelain",
                 "-z",
                 "--no-renames",
                 "--untracked-files=all",
                 "--ignore-submodules=dirty",
                 "--",
                 "."};
  Result<ProgramEnd> end = repository.run(words);
  if (!end) return end.error();
  if (!end->ok()) return repository.failure(*end, "looking for what changed");
  std::set<std::string, std::less<>> paths;
  const std::string& text = end->out;
  for (std::size_t begin = 0; begin + 3 < text.size();) {
    const std::size_t stop = std::min(text.find('\0', begin), text.size());
    std::string path = text.substr(begin + 3, stop - begin - 3);
    if (is_meant(text[begin], text[begin + 1], since) && path.starts_with(repository.prefix())) {
      paths.insert(path.substr(repository.prefix().size()));
    }
    begin = stop + 1;
  }
  return paths;
}

}  // namespace notesdb
