#include "files/intent.h"

#include <cerrno>
#include <cstdio>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/descriptor.h"
#include "files/journal.h"
#include "files/kernel.h"

namespace notesdb {
namespace {

constexpr const char* current = "current";
constexpr const char* beginning = "beginning";
constexpr std::string_view last_line = "end\n";
constexpr std::uint64_t longest_intent = std::uint64_t{64} << 20U;

}  // namespace

int write_intent(int folder, std::string_view word, const std::vector<JournalEntry>& steps) {
  constexpr mode_t owner_only = 0600;
  const Descriptor file(::openat(
      folder, beginning, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, owner_only));
  if (!file) return errno;
  int error = write_whole(file.get(), head_line(word) + to_lines(steps) + std::string(last_line));
  if (error == 0) error = kernel::sync_file(file.get());
  if (error == 0 && ::renameat(folder, beginning, folder, current) != 0) error = errno;
  if (error == 0) error = kernel::sync_folder(folder);
  if (error != 0) {
    ::unlinkat(folder, beginning, 0);
    ::unlinkat(folder, current, 0);
  }
  return error;
}

bool has_intent(int folder) {
  struct stat status {};
  return ::fstatat(folder, current, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

Intent read_intent(int folder, std::string_view word) {
  const Descriptor file(::openat(folder, current, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  std::string text;
  if (!file || read_whole(file.get(), longest_intent, text) != 0) return {};
  if (word.empty() || word_at_head(text) != word) return {};
  Intent intent{true, {}};
  if (text.ends_with(last_line)) intent.steps = parse_lines(text);
  return intent;
}

void remove_intent(int folder) {
  ::unlinkat(folder, current, 0);
  // An intent that came back after a power failure would speak of rows long changed.
  kernel::sync_folder(folder);
}

void set_intent_aside(int folder, std::string_view change) {
  const std::string name = std::string(change) + ".stuck";
  ::renameat(folder, current, folder, name.c_str());
  kernel::sync_folder(folder);
}

}  // namespace notesdb
