#include "git/untold_rows.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/descriptor.h"
#include "files/kernel.h"

namespace notesdb {

namespace {

constexpr const char* file_name = "notesdb-renumbered";

Descriptor own_folder(const Repository& repository) {
  return Descriptor(::open(repository.own_folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// Texts that end in NUL; before the paths of what was changed stands their number.
std::string to_record(const Renumbered& row) {
  std::string text;
  for (const std::string* part :
       {&row.database_id, &row.old_id, &row.new_id, &row.old_path, &row.new_path})
    text += *part + '\0';
  text += std::to_string(row.changed.size()) + '\0';
  for (const std::string& path : row.changed)
    text += path + '\0';
  return text;
}

// Up to the first record that is cut short.
std::vector<Renumbered> parse_records(const std::string& text) {
  constexpr std::size_t fixed = 6;
  const std::vector<std::string> items = items_of(text);
  std::vector<Renumbered> rows;
  for (std::size_t at = 0; at + fixed <= items.size();) {
    const std::string& number = items[at + fixed - 1];
    std::size_t count = 0;
    std::from_chars(number.data(), number.data() + number.size(), count);
    if (count > items.size() - at - fixed) break;
    const auto changed = items.begin() + static_cast<std::ptrdiff_t>(at + fixed);
    rows.push_back({items[at],
                    items[at + 1],
                    items[at + 2],
                    {changed, changed + static_cast<std::ptrdiff_t>(count)},
                    items[at + 3],
                    items[at + 4]});
    at += fixed + count;
  }
  return rows;
}

}  // namespace

void keep_untold_rows(const Repository& repository, const std::vector<Renumbered>& rows) {
  std::string text;
  for (const Renumbered& row : rows)
    text += to_record(row);
  constexpr mode_t mine_alone = 0600;
  const Descriptor file(::openat(own_folder(repository).get(),
                                 file_name,
                                 O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
                                 mine_alone));
  if (file) write_whole(file.get(), text);
}

std::vector<Renumbered> untold_rows(const Repository& repository, const FileSystem& files) {
  const Descriptor file = kernel::open_to_read(own_folder(repository).get(), file_name);
  std::string text;
  if (!file || read_whole(file.get(), max_file, text) != 0) return {};
  std::vector<Renumbered> rows = parse_records(text);
  std::set<std::pair<std::string, std::string>> done;  // renamed files; of those changed, the path
  const auto add = [&](const PastChange& change) {
    if (change.what != renumbering_words) return true;
    for (const JournalEntry& step : change.steps)
      done.emplace(step.path, step.new_path);
    return true;
  };
  static_cast<void>(files.past_changes(add));
  std::erase_if(rows, [&](const Renumbered& row) {
    const bool is_there = !row.new_path.empty();  // else it is gone, and others named it
    if (!is_there && row.changed.empty()) return true;
    return is_there ? !done.contains({row.old_path, row.new_path})
                    : !done.contains({row.changed.front(), ""});
  });
  return rows;
}

std::uint64_t untold_size(const Repository& repository) {
  struct stat status {};
  const bool is_there =
      ::fstatat(own_folder(repository).get(), file_name, &status, AT_SYMLINK_NOFOLLOW) == 0;
  return is_there ? static_cast<std::uint64_t>(status.st_size) : 0;
}

void forget_untold_rows(const Repository& repository, std::uint64_t told) {
  if (told != 0 && untold_size(repository) == told)
    ::unlinkat(own_folder(repository).get(), file_name, 0);
}

}  // namespace notesdb
