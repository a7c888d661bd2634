#include "files/waiting_mark.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/intent.h"
#include "files/journal.h"

namespace notesdb {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view ending = ".waiting";
constexpr mode_t owner_only = 0600;

std::vector<std::string> marks_in(int folder) {
  std::vector<std::string> names;
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = copy < 0 ? nullptr : ::fdopendir(copy);
  if (stream == nullptr) return names;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is ours alone.
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = static_cast<const char*>(entry->d_name);
    if (name.ends_with(ending)) names.emplace_back(name);
  }
  ::closedir(stream);
  return names;
}

// Whether the change is one that happened, or that somebody has still to finish or look at.
bool is_anybodys(const Store& store, std::string_view change) {
  const std::vector<JournalEntry> unfinished = read_intent(store.intent(), store.word()).steps;
  if (!unfinished.empty() && unfinished.front().change == change) return true;
  const std::string stuck = std::string(change) + ".stuck";
  if (::faccessat(store.intent(), stuck.c_str(), F_OK, 0) == 0) return true;
  std::string journal;
  if (read_journal(store.displaced(), store.word(), journal) != 0) return true;
  return JournalReader(journal).find(change).has_value();
}

// False: the time is over.
bool clear_one(const Store& store, const std::string& name, Clock::time_point deadline) {
  const Descriptor mark(
      ::openat(store.intent(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!mark || ::fstat(mark.get(), &status) != 0 || !S_ISREG(status.st_mode)) return true;
  if (::flock(mark.get(), LOCK_EX | LOCK_NB) != 0) return true;  // running
  const std::string_view change = std::string_view(name).substr(0, name.size() - ending.size());
  constexpr std::uint64_t max_digits = 20;
  std::string text;
  if (read_whole(mark.get(), max_digits, text) == 0 && !is_anybodys(store, change)) {
    // As many as a change may have, whatever the mark says.
    constexpr unsigned long long max_files = 4'000'000;
    const auto files = std::min(std::strtoull(text.c_str(), nullptr, 10), max_files);
    // However long it took to find out, each call goes a good way on.
    constexpr std::size_t min_removed = 1'000;
    std::size_t removed = 0;
    for (std::size_t i = 0; i < files; ++i) {
      removed += ::unlinkat(store.displaced(), kept_name(change, i).c_str(), 0) == 0 ? 1U : 0U;
      if (removed >= min_removed && Clock::now() >= deadline) return false;
    }
  }
  ::unlinkat(store.intent(), name.c_str(), 0);
  return true;
}

}  // namespace

void WaitingMark::place(int folder, std::string_view change, std::size_t files) {
  const std::string name = std::string(change) + std::string(ending);
  Descriptor file(::openat(
      folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, owner_only));
  if (!file) return;
  name_ = name;
  folder_ = folder;
  const bool is_held = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
  file_ = std::move(file);
  if (!is_held || write_whole(file_.get(), std::to_string(files)) != 0) remove();
}

void WaitingMark::remove() {
  if (name_.empty()) return;
  ::unlinkat(folder_, name_.c_str(), 0);
  name_.clear();
  file_.close();
}

bool clear_abandoned(const Store& store, Clock::time_point deadline) {
  for (const std::string& name : marks_in(store.intent())) {
    if (!clear_one(store, name, deadline)) return false;
  }
  return true;
}

}  // namespace notesdb
