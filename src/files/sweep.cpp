#include "files/sweep.h"

#include <cerrno>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/change_id.h"
#include "files/etag.h"
#include "files/grip.h"
#include "files/journal.h"
#include "files/kernel.h"
#include "files/names.h"

namespace notesdb {
namespace {

constexpr std::int64_t day_us = std::int64_t{24} * 60 * 60 * 1'000'000;
constexpr std::int64_t hour_us = day_us / 24;
constexpr std::size_t most_versions = 1'000;
// The sweep leaves the journal well below what makes one due, so that none follows at once.
constexpr std::size_t longest_journal_kept = std::size_t{200} << 10U;
constexpr std::size_t longest_journal = std::size_t{400} << 10U;

// When the oldest change was made, and how long the journal is.
bool is_due(JournalFile& journal) {
  if (journal.length() == 0) return false;
  if (journal.length() > longest_journal) return true;
  const std::optional<std::int64_t> oldest = journal.oldest_us();
  return !oldest || now_us() - *oldest > day_us + hour_us;
}

// Where the steps that stay begin: young enough, and not too many, whole changes only. The newest
// stays however many files it had, since its answer said how to take it back.
std::size_t first_kept(const std::vector<Kept>& steps, std::int64_t now) {
  std::size_t first = steps.size();
  std::size_t versions = 0;
  std::size_t length = 0;
  while (first > 0) {
    const Kept& step = steps[first - 1];
    versions += step.file.empty() ? 0U : 1U;
    length += to_lines({step}).size();
    const bool is_newest = step.change == steps.back().change;
    const bool is_too_much = versions > most_versions || length > longest_journal_kept;
    if (now - step.time_us > day_us || (is_too_much && !is_newest)) break;
    --first;
  }
  while (first > 0 && first < steps.size() && steps[first].change == steps[first - 1].change)
    ++first;
  return first;
}

// Removes a version, unless somebody wrote to it after it was put aside.
void forget(const Root& root, int displaced, const Kept& step) {
  if (step.file.empty()) return;
  const Descriptor file = kernel::open_to_read(displaced, step.file.c_str());
  if (!file) return;
  std::string bytes;
  if (read_whole(file.get(), largest_file + 1, bytes) != 0) return;
  const Etag now = etag_of(bytes);
  if (now != step.old_etag && now != step.new_etag) {
    const Result<Descriptor> folder = root.open_folder(folder_of(step.path));
    std::vector<std::string> unsaid;
    const Place row{folder ? folder->get() : -1, std::string(name_in(step.path))};
    if (folder && set_aside(Place{displaced, step.file}, row, unsaid)) return;
    // The folder is gone: the file stays in the store under a name that no sweep forgets.
    const std::string late = "late." + step.file;
    ::renameat(displaced, step.file.c_str(), displaced, late.c_str());
    return;
  }
  ::unlinkat(displaced, step.file.c_str(), 0);
}

// Files of the store that no step speaks of: a process died while it prepared them.
void forget_strays(int displaced, const std::vector<Kept>& steps, std::int64_t now) {
  std::set<std::string, std::less<>> known;
  for (const Kept& step : steps) {
    known.insert(kept_name(step.change, step.step));
    known.insert(kept_name(step.change, step.step) + ".old");
  }
  const int copy = ::openat(displaced, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = copy < 0 ? nullptr : ::fdopendir(copy);
  if (stream == nullptr) return;
  std::vector<std::string> strays;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is ours alone.
  while (const dirent* entry = ::readdir(stream)) {
    const std::string name = static_cast<const char*>(entry->d_name);
    const std::optional<std::int64_t> made = time_of_change(name.substr(0, name.find('.')));
    if (made && now - *made > day_us && known.count(name) == 0) strays.push_back(name);
  }
  ::closedir(stream);
  for (const std::string& name : strays)
    ::unlinkat(displaced, name.c_str(), 0);
}

void rewrite_journal(int displaced, const std::vector<Kept>& steps) {
  constexpr const char* fresh = "journal.new";
  constexpr mode_t everyone = 0666;
  const Descriptor file(
      ::openat(displaced, fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, everyone));
  if (!file || write_whole(file.get(), to_lines(steps)) != 0) return;
  ::renameat(displaced, fresh, displaced, journal_name.data());
}

}  // namespace

void sweep(const Root& root, int displaced, std::int64_t now_us) {
  std::vector<Kept> steps;
  if (read_journal(displaced, steps) != 0) return;
  const std::size_t first = first_kept(steps, now_us);
  for (std::size_t i = 0; i < first; ++i)
    forget(root, displaced, steps[i]);
  forget_strays(displaced, steps, now_us);
  steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(first));
  rewrite_journal(displaced, steps);
}

void sweep_if_due(const Root& root, Store& store) {
  if (is_due(store.journal())) sweep(root, store.displaced(), now_us());
}

}  // namespace notesdb
