#include "files/store_word.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/failure.h"
#include "files/kernel.h"

namespace notesdb {
namespace {

constexpr std::size_t word_bytes = 16;
constexpr std::uint64_t max_length = std::uint64_t{64} << 10U;
constexpr mode_t owner_folder = 0700;
constexpr mode_t owner_file = 0600;
constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;

struct KnownRoot {
  std::string word;
  std::string device;
  std::string path;
};

enum class Missing { made, left };

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): never set here
  return value == nullptr ? "" : value;
}

Error unusable(std::string_view why) {
  return Error{ErrorCode::io_error,
               "$XDG_STATE_HOME/notesdb (~/.local/state/notesdb) " + std::string(why)};
}

// Every folder on the way, the last one ours alone.
Result<Descriptor> open_folder(Missing missing) {
  const std::string path = store_word_folder();
  if (path.empty()) return unusable("has no place: neither XDG_STATE_HOME nor HOME is set");
  if (missing == Missing::made) {
    for (std::size_t end = path.find('/', 1); end != std::string::npos;
         end = path.find('/', end + 1))
      ::mkdir(path.substr(0, end).c_str(), owner_folder);
    ::mkdir(path.c_str(), owner_folder);
  }
  Descriptor folder(::open(path.c_str(), folder_flags));
  if (!folder && errno == ENOENT && missing == Missing::left) return folder;
  struct stat status {};
  if (!folder || ::fstat(folder.get(), &status) != 0)
    return unusable("cannot be opened: " + errno_words(errno));
  if (status.st_uid != ::geteuid()) return unusable("belongs to another user");
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return unusable("is writable by others");
  return folder;
}

Result<std::vector<KnownRoot>> read_entries(int folder, const std::string& name) {
  const Descriptor file(
      ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::vector<KnownRoot>{};
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0)
    return unusable("cannot be read: " + errno_words(errno));
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
    return unusable("holds a file of another user");
  std::string text;
  if (const int error = read_whole(file.get(), max_length, text))
    return unusable("cannot be read: " + errno_words(error));
  std::vector<KnownRoot> entries;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t first = line.find('\t');
    const std::size_t second = first == std::string::npos ? first : line.find('\t', first + 1);
    if (second == std::string::npos || !is_store_word(line.substr(0, first))) continue;
    entries.push_back({line.substr(0, first),
                       line.substr(first + 1, second - first - 1),
                       line.substr(second + 1)});
  }
  return entries;
}

int write_entries(int folder, const std::string& name, const std::vector<KnownRoot>& entries) {
  const std::string fresh = name + ".new";
  ::unlinkat(folder, fresh.c_str(), 0);
  const Descriptor file(::openat(
      folder, fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, owner_file));
  if (!file) return errno;
  std::string text;
  for (const KnownRoot& entry : entries)
    text += entry.word + "\t" + entry.device + "\t" + entry.path + "\n";
  if (const int error = write_whole(file.get(), text)) return error;
  // What a power failure leaves unfinished is finished only where the word is still there.
  if (const int error = kernel::sync_file(file.get())) return error;
  if (::renameat(folder, fresh.c_str(), folder, name.c_str()) != 0) return errno;
  return kernel::sync_folder(folder);
}

// The root as an entry names it, but for the word.
KnownRoot entry_of(const Root& root) {
  std::string path = root.path();
  std::replace(path.begin(), path.end(), '\n', ' ');
  return {"", std::to_string(root.device()), path};
}

std::optional<std::string> word_in(const std::vector<KnownRoot>& entries, const KnownRoot& wanted) {
  for (const KnownRoot& entry : entries) {
    if (entry.device == wanted.device) return entry.word;
  }
  for (const KnownRoot& entry : entries) {
    if (entry.path == wanted.path && wanted.path.starts_with('/')) return entry.word;
  }
  return std::nullopt;
}

}  // namespace

bool is_store_word(std::string_view text) {
  return text.size() == 2 * word_bytes && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string new_store_word() {
  std::array<unsigned char, word_bytes> chance{};
  if (::getentropy(chance.data(), chance.size()) != 0)
    throw std::system_error(errno, std::generic_category());
  constexpr std::string_view digits = "0123456789abcdef";
  std::string word;
  for (const unsigned char byte : chance) {
    word += digits[byte >> 4U];
    word += digits[byte & 0xFU];
  }
  return word;
}

std::string store_word_folder() {
  const std::string state = variable("XDG_STATE_HOME");
  if (state.starts_with('/')) return state + "/notesdb/stores";
  const std::string home = variable("HOME");
  return home.starts_with('/') ? home + "/.local/state/notesdb/stores" : "";
}

Result<std::optional<std::string>> find_store_word(const Root& root) {
  const Result<Descriptor> folder = open_folder(Missing::left);
  if (!folder) return folder.error();
  if (!*folder) return std::optional<std::string>();
  const auto entries = read_entries(folder->get(), std::to_string(root.inode()));
  if (!entries) return entries.error();
  return word_in(*entries, entry_of(root));
}

Result<std::string> make_store_word(const Root& root) {
  if (const auto known = find_store_word(root); known && *known) return **known;
  const Result<Descriptor> folder = open_folder(Missing::made);
  if (!folder) return folder.error();
  // One at a time, so that two who begin together agree.
  while (::flock(folder->get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  const std::string name = std::to_string(root.inode());
  auto entries = read_entries(folder->get(), name);
  if (!entries) return entries.error();
  KnownRoot entry = entry_of(root);
  if (auto known = word_in(*entries, entry)) return *std::move(known);
  entry.word = new_store_word();
  std::erase_if(*entries, [&](const KnownRoot& each) { return each.path == entry.path; });
  entries->push_back(entry);
  if (const int error = write_entries(folder->get(), name, *entries))
    return unusable("cannot be written: " + errno_words(error));
  return entry.word;
}

}  // namespace notesdb
