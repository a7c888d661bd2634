#include "files/journal_file.h"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/change_id.h"
#include "files/journal.h"

namespace notesdb {

// Which file is the journal now, and how long it is.
int JournalFile::look(int displaced) {
  struct stat status {};
  if (file_ && ::fstatat(displaced, journal_name.data(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      status.st_ino == there_.inode && status.st_dev == there_.device) {
    there_ = to_file_stat(status).key;
    return 0;
  }
  constexpr mode_t everyone = 0666;
  oldest_us_.reset();
  length_ = 0;
  file_ = Descriptor(::openat(displaced,
                              journal_name.data(),
                              O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
                              everyone));
  if (!file_ || ::fstat(file_.get(), &status) != 0) return errno;
  there_ = to_file_stat(status).key;
  return 0;
}

int JournalFile::append(int displaced, std::string_view lines) {
  if (const int error = look(displaced)) return error;
  // A line of others that was cut short must not swallow ours.
  char last = '\n';
  if (there_.size > 0 && there_.size != length_ &&
      ::pread(file_.get(), &last, 1, static_cast<off_t>(there_.size) - 1) != 1) {
    last = '\n';
  }
  length_ = 0;
  const std::string whole = (last == '\n' ? "" : "\n") + std::string(lines);
  if (const int error = write_whole(file_.get(), whole)) return error;
  length_ = there_.size + whole.size();
  return 0;
}

std::optional<std::int64_t> JournalFile::oldest_us() {
  if (oldest_us_ || !file_) return oldest_us_;
  char line[64] = {};
  const ssize_t got = ::pread(file_.get(), static_cast<char*>(line), sizeof line - 1, 0);
  const std::string_view text(static_cast<char*>(line),
                              got > 0 ? static_cast<std::size_t>(got) : 0);
  oldest_us_ = time_of_change(text.substr(0, text.find('\t')));
  return oldest_us_;
}

}  // namespace notesdb
