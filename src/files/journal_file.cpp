#include "files/journal_file.h"

#include <algorithm>
#include <cerrno>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/change_id.h"

namespace notesdb {
namespace {

// Enough for the last `kept` line and a few lines about changes that failed after it.
constexpr std::uint64_t end_length = 512;

std::string read_at(int file, std::uint64_t at, std::uint64_t length) {
  std::string text(length, '\0');
  const ssize_t got = ::pread(file, text.data(), text.size(), static_cast<off_t>(at));
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

void set_aside_foreign(int displaced) {
  constexpr int random_part = 6;
  const std::string name = "foreign-journal." + random_letters(random_part);
  ::renameat(displaced, journal_name.data(), displaced, name.c_str());
}

}  // namespace

// Which file is the journal now, and how long it is.
int JournalFile::look(int displaced, std::string_view word) {
  struct stat status {};
  if (file_ && ::fstatat(displaced, journal_name.data(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      status.st_ino == there_.inode && status.st_dev == there_.device) {
    there_ = to_file_stat(status).key;
    return 0;
  }
  if (const int error = open(displaced)) return error;
  if (there_.size == 0 || begins_with_word(file_.get(), word)) return 0;
  set_aside_foreign(displaced);
  return open(displaced);
}

int JournalFile::open(int displaced) {
  struct stat status {};
  constexpr mode_t owner_only = 0600;
  oldest_us_.reset();
  trash_.reset();
  length_ = 0;
  file_ = Descriptor(::openat(displaced,
                              journal_name.data(),
                              O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
                              owner_only));
  if (!file_ || ::fstat(file_.get(), &status) != 0) return errno;
  there_ = to_file_stat(status).key;
  return 0;
}

std::optional<TrashSize> JournalFile::trash_size(int displaced, std::string_view word) {
  if (look(displaced, word) != 0) return std::nullopt;
  if (there_.size == 0) return TrashSize{};
  if (trash_ && trash_at_ == there_.size) return trash_;
  const std::uint64_t begin = there_.size - std::min(there_.size, end_length);
  trash_ = find_trash_size(read_at(file_.get(), begin, there_.size - begin));
  trash_at_ = there_.size;
  // One without any change, but perhaps a line that says whose it is.
  if (!trash_ && there_.size <= end_length && !oldest_us()) trash_ = TrashSize{};
  return trash_;
}

int JournalFile::append(int displaced,
                        std::string_view word,
                        std::string_view lines,
                        std::string_view change,
                        std::uint64_t bytes) {
  std::optional<TrashSize> size = trash_size(displaced, word);
  if (!size) return append(displaced, word, lines);
  size->bytes += bytes;
  const int error = append(displaced, word, std::string(lines) + to_kept_line(change, *size));
  if (error != 0) return error;
  trash_ = size;
  trash_at_ = length_;
  return 0;
}

int JournalFile::append(int displaced, std::string_view word, std::string_view lines) {
  if (const int error = look(displaced, word)) return error;
  // A line of others that was cut short must not swallow ours.
  const bool is_cut =
      there_.size > 0 && there_.size != length_ && read_at(file_.get(), there_.size - 1, 1) != "\n";
  length_ = 0;
  std::string whole = there_.size == 0 ? head_line(word) : is_cut ? "\n" : "";
  whole += lines;
  if (const int error = write_whole(file_.get(), whole)) return error;
  length_ = there_.size + whole.size();
  return 0;
}

std::optional<std::int64_t> JournalFile::oldest_us() {
  if (oldest_us_ || !file_) return oldest_us_;
  const std::string begin = read_at(file_.get(), 0, end_length);
  std::string_view rest = begin;
  while (!oldest_us_ && !rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    oldest_us_ = time_of_change(line.substr(0, line.find('\t')));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return oldest_us_;
}

}  // namespace notesdb
