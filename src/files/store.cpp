#include "files/store.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/result.h"
#include "files/change_id.h"
#include "files/failure.h"
#include "files/journal.h"
#include "files/kernel.h"
#include "files/lock.h"
#include "files/root.h"

namespace notesdb {

namespace {

constexpr std::size_t word_bytes = 16;

// Whether the text has the form of a word.
bool is_store_word(std::string_view text) {
  return text.size() == 2 * word_bytes && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}
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

namespace {

// Store aside: moving a `.notesdb` that is not ours out of the way, unread.
//
// It goes beside the place first, and from there into the new store as `foreign-N`, where git does
// not see it. A folder of another user cannot be moved into another folder: that one stays beside.

constexpr std::string_view store_aside_prefix = "foreign-";

constexpr std::string_view aside_beside = ".notesdb.foreign-";
constexpr std::chrono::milliseconds lock_patience(5'000);

// Whoever works in it now, with another state folder than ours, is waited for.
Result<Descriptor> lock_of_foreign(int base) {
  Descriptor lock(::openat(base, "lock", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!lock || ::fstat(lock.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid())
    return Descriptor();
  const auto deadline = std::chrono::steady_clock::now() + lock_patience;
  const int error = flock_in_turn(lock.get(), deadline);
  leave_flock_queue(lock.get());
  if (error == EWOULDBLOCK)
    return busy(
        "busy: another program has held the workspace's write lock for too long; try again");
  return lock;
}

Error not_ours(const std::string& why, std::string_view what_then) {
  return Error{ErrorCode::io_error, ".notesdb " + why + ", and " + std::string(what_then)};
}

// The names in an open folder, but for "." and "..".
Result<std::vector<std::string>> names_in_folder(int folder) {
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = copy < 0 ? nullptr : ::fdopendir(copy);
  if (stream == nullptr) {
    const int error = errno;
    if (copy >= 0) ::close(copy);
    return failure(error, "list", store_name);
  }
  std::vector<std::string> names;
  errno = 0;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is ours alone.
  while (const dirent* entry = ::readdir(stream)) {
    std::string name = static_cast<const char*>(entry->d_name);
    if (name != "." && name != "..") names.push_back(std::move(name));
    errno = 0;
  }
  const int error = errno;
  ::closedir(stream);
  if (error != 0) return failure(error, "list", store_name);
  return names;
}

// Whether this file or folder is what `.notesdb` names in the root.
bool is_store_at(const Root& root, std::uint64_t device, std::uint64_t inode) {
  struct stat status {};
  return ::fstatat(root.descriptor(), store_name.data(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         status.st_ino == inode && status.st_dev == device;
}

// Moves what is there beside its place, and tells under which name; empty if somebody else has
// moved it. `base` is it, opened, or -1. Waits for a program of this user that holds its lock: busy
// after five seconds. Fails with io_error where it cannot be moved; `why` it is foreign is said.
Result<std::string> move_store_aside(const Root& root, int base, const std::string& why) {
  struct stat status {};
  if (::fstatat(root.descriptor(), store_name.data(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return std::string();
  Descriptor lock;
  if (base >= 0) {
    Result<Descriptor> held = lock_of_foreign(base);
    if (!held) return held.error();
    lock = *std::move(held);
  }
  if (!is_store_at(root, status.st_dev, status.st_ino))
    return std::string();  // somebody else has done it
  constexpr int random_part = 6;
  std::string name = std::string(aside_beside) + random_letters(random_part);
  const int error =
      kernel::rename_new(root.descriptor(), store_name.data(), root.descriptor(), name.c_str());
  if (error == ENOENT) return std::string();
  if (error != 0)
    return not_ours(why, "cannot be set aside (" + errno_words(error) + "); remove it");
  return name;
}

// From there into the new store; what cannot be moved stays.
void move_store_into(const Root& root, int base, const std::string& name) {
  constexpr int max_number = 1'000;
  for (int number = 1; number < max_number; ++number) {
    const std::string target = std::string(store_aside_prefix) + std::to_string(number);
    const int error = kernel::rename_new(root.descriptor(), name.c_str(), base, target.c_str());
    if (error != EEXIST && error != ENOTEMPTY) return;
  }
}

constexpr const char* owner_name = "owner";

// Who may enter a store: its owner, and the group where the root is the group's.
struct Access {
  bool group = false;
  gid_t group_id = 0;
};

Access access_of(const Root& root) {
  struct stat status {};
  if (::fstat(root.descriptor(), &status) != 0) return {};
  const bool is_everybodys = (status.st_mode & S_IWOTH) != 0;
  return {!is_everybodys && (status.st_mode & S_IWGRP) != 0, status.st_gid};
}

// Makes a folder or file as narrow as it should be. What the system refuses stays as it was.
void narrow(int file, const Access& access, mode_t owner_only) {
  struct stat status {};
  if (::fstat(file, &status) != 0 || status.st_uid != ::geteuid()) return;
  mode_t wanted = owner_only;
  const bool has_group =
      access.group && (status.st_gid == access.group_id ||
                       ::fchown(file, static_cast<uid_t>(-1), access.group_id) == 0);
  if (has_group) wanted |= owner_only >> 3U;
  if ((status.st_mode & 0777U) != wanted) ::fchmod(file, wanted);
}

// Empty, or why a folder is not one that only we can have filled.
std::string what_is_wrong_with(const struct stat& status, const Access& access) {
  if (!S_ISDIR(status.st_mode)) return "is not a folder";
  if (status.st_uid != ::geteuid()) return "belongs to another user";
  if ((status.st_mode & S_IWOTH) != 0) return "is writable by others";
  if ((status.st_mode & S_IWGRP) != 0 && !access.group) return "is writable by its group";
  return "";
}

// A folder of a store as it lies there: open, or missing, or with something wrong. Fails where the
// system does not say, which tells nothing about whose it is.
struct FoundFolder {
  Descriptor folder;
  std::string wrong;
  struct stat status {};
};

Result<FoundFolder> find_folder(int parent, const std::string& name, const Access& access) {
  FoundFolder found;
  found.folder = Descriptor(::openat(parent, name.c_str(), folder_flags));
  const int error = found.folder ? 0 : errno;
  if (error == ENOENT) return found;
  const int looked = error == 0
                         ? ::fstat(found.folder.get(), &found.status)
                         : ::fstatat(parent, name.c_str(), &found.status, AT_SYMLINK_NOFOLLOW);
  if (looked != 0) return failure(errno, "open", store_name);
  found.wrong = what_is_wrong_with(found.status, access);
  if (error != 0 && found.wrong.empty()) return failure(error, "open", store_name);
  return found;
}

// Empty where there is none of ours, or it has no such form.
Result<std::string> read_owner(int base) {
  struct stat status {};
  if (::fstatat(base, owner_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::string();
    return failure(errno, "read", ".notesdb/owner");
  }
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return std::string();
  const Descriptor file(::openat(base, owner_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  std::string text;
  constexpr std::uint64_t enough = 64;
  const int error = file ? read_whole(file.get(), enough, text) : errno;
  if (error == ENOENT) return std::string();
  if (error != 0) return failure(error, "read", ".notesdb/owner");
  if (text.ends_with('\n')) text.pop_back();
  return is_store_word(text) ? text : std::string();
}

// Nothing lies in it that anybody could believe: we died while we made it, or were made to share.
Result<bool> is_blank(int base, const Descriptor& displaced, const Descriptor& intent) {
  for (const Descriptor* folder : {&displaced, &intent}) {
    if (!*folder) continue;
    const auto names = names_in_folder(folder->get());
    if (!names) return names.error();
    if (!names->empty()) return false;
  }
  const auto names = names_in_folder(base);
  if (!names) return names.error();
  return std::all_of(names->begin(), names->end(), [](const std::string& name) {
    return name == "displaced" || name == "intent" || name == ".gitignore" || name == "lock" ||
           name.starts_with("owner.") || name.starts_with(store_aside_prefix);
  });
}

Result<Descriptor> make_folder(int parent,
                               const char* name,
                               std::string_view shown,
                               const Access& access) {
  constexpr mode_t owner_only = 0700;
  Descriptor folder(::openat(parent, name, folder_flags));
  if (!folder && errno == ENOENT) {
    if (::mkdirat(parent, name, owner_only) != 0 && errno != EEXIST)
      return failure(errno, "make", shown);
    folder = Descriptor(::openat(parent, name, folder_flags));
  }
  if (!folder) return failure(errno, "open", shown);
  narrow(folder.get(), access, owner_only);
  return folder;
}

Result<void> make_gitignore(int folder) {
  constexpr mode_t readable = 0644;
  const Descriptor file(::openat(
      folder, ".gitignore", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, readable));
  if (!file && errno == EEXIST) return {};
  const int error = file ? write_whole(file.get(), "*\n") : errno;
  if (error != 0) return failure(error, "write", ".notesdb/.gitignore");
  return {};
}

// The root's word, made where there is none: whether one can be kept is known only then.
Result<std::optional<std::string>> wanted_word(const Root& root) {
  Result<std::string> word = make_store_word(root);
  if (!word) return word.error();
  return std::optional<std::string>(*std::move(word));
}

}  // namespace

bool Store::is_in_place(const Root& root) const {
  return base_ && is_store_at(root, device_, inode_);
}

bool Store::still_there(const Root& root) const {
  if (!is_in_place(root)) return false;
  for (const Descriptor* folder : {&displaced_, &intent_}) {
    struct stat status {};
    if (!*folder || ::fstat(folder->get(), &status) != 0 || status.st_nlink == 0) return false;
  }
  return true;
}

void Store::set_state(StoreState state, std::string why) {
  state_ = state;
  why_ = std::move(why);
}

Result<Store> Store::open_base(const Root& root, Purpose purpose) {
  Store store;
  const Access access = access_of(root);
  Result<FoundFolder> base = find_folder(root.descriptor(), std::string(store_name), access);
  if (!base) return base.error();
  store.base_ = std::move(base->folder);
  if (!base->wrong.empty()) store.set_state(StoreState::foreign, base->wrong);
  if (!store.base_) return store;
  store.device_ = base->status.st_dev;
  store.inode_ = base->status.st_ino;
  if (!base->wrong.empty()) return store;
  for (const auto& [folder, name] :
       {std::pair{&store.displaced_, "displaced"}, {&store.intent_, "intent"}}) {
    Result<FoundFolder> found = find_folder(store.base(), name, access);
    if (!found) return found.error();
    *folder = std::move(found->folder);
    if (found->wrong.empty()) continue;
    store.set_state(StoreState::foreign,
                    "holds a folder '" + std::string(name) + "' that " + found->wrong);
    return store;
  }
  if (Result<void> done = store.verify_word(root, purpose); !done) return done.error();
  return store;
}

Result<void> Store::verify_word(const Root& root, Purpose purpose) {
  constexpr const char* foreign = "was not made by this user for this folder";
  Result<std::string> word = read_owner(base());
  if (!word) return word.error();
  word_ = *std::move(word);
  if (word_.empty()) {
    const Result<bool> blank = is_blank(base(), displaced_, intent_);
    if (!blank) return blank.error();
    set_state(*blank ? StoreState::blank : StoreState::foreign, *blank ? "" : foreign);
    return {};
  }
  const auto known = purpose == Purpose::write ? wanted_word(root) : find_store_word(root);
  if (!known)
    set_state(StoreState::unverified, known.error().message);
  else if (*known != word_)
    set_state(StoreState::foreign, foreign);
  else
    set_state(StoreState::ours, "");
  return {};
}

Result<void> Store::make_folders(const Root& root) {
  const Access access = access_of(root);
  Result<Descriptor> base = make_folder(root.descriptor(), ".notesdb", store_name, access);
  if (!base) return base.error();
  base_ = *std::move(base);
  struct stat status {};
  if (::fstat(this->base(), &status) != 0) return failure(errno, "open", store_name);
  device_ = status.st_dev;
  inode_ = status.st_ino;
  if (Result<void> done = make_gitignore(this->base()); !done) return done;
  Result<Descriptor> displaced =
      make_folder(this->base(), "displaced", ".notesdb/displaced", access);
  if (!displaced) return displaced.error();
  displaced_ = *std::move(displaced);
  Result<Descriptor> intent = make_folder(this->base(), "intent", ".notesdb/intent", access);
  if (!intent) return intent.error();
  intent_ = *std::move(intent);
  if (::fstat(this->displaced(), &status) != 0) return failure(errno, "read", ".notesdb/displaced");
  return {};
}

// Whole or not at all. Two who begin together write the same word, which is the root's.
Result<void> Store::make_owner(const Root& root) {
  const Result<std::string> kept = make_store_word(root);
  word_ = kept ? *kept : new_store_word();
  constexpr int random_part = 6;
  constexpr mode_t owner_only = 0600;
  const std::string fresh = "owner." + random_letters(random_part);
  const Descriptor file(::openat(
      base(), fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, owner_only));
  if (!file) return failure(errno, "write", ".notesdb/owner");
  int error = write_whole(file.get(), word_ + "\n");
  if (error == 0) error = kernel::sync_file(file.get());
  if (error == 0 && ::renameat(base(), fresh.c_str(), base(), owner_name) != 0) error = errno;
  if (error == 0) error = kernel::sync_folder(base());
  if (error != 0) {
    ::unlinkat(base(), fresh.c_str(), 0);
    return failure(error, "write", ".notesdb/owner");
  }
  // Where no word can be kept, this process knows what it has made.
  set_state(StoreState::ours, "");
  return {};
}

Result<Store> Store::make(const Root& root) {
  std::string aside;
  constexpr int max_tries = 4;
  for (int i = 0; i < max_tries; ++i) {
    Result<Store> opened = open_base(root, Purpose::write);
    if (!opened) return opened.error();
    Store store = *std::move(opened);
    if (store.state() == StoreState::foreign) {
      Result<std::string> moved = move_store_aside(root, store.base(), store.why());
      if (!moved) return moved.error();
      if (!moved->empty()) aside = *std::move(moved);
      continue;
    }
    const bool is_new = store.state() == StoreState::missing || store.state() == StoreState::blank;
    if (Result<void> made = store.make_folders(root); !made) return made.error();
    if (is_new) {
      if (Result<void> owned = store.make_owner(root); !owned) return owned.error();
    }
    if (!aside.empty()) move_store_into(root, store.base(), aside);
    return store;
  }
  return busy("busy: another program puts its own .notesdb here over and over; try again");
}

Store Store::find(const Root& root) {
  Result<Store> opened = open_base(root, Purpose::read);
  Store store;
  if (opened)
    store = *std::move(opened);
  else
    store.set_state(StoreState::unverified, opened.error().message);
  if (!store.is_ours()) {
    store.displaced_.close();
    store.intent_.close();
  }
  return store;
}

std::vector<std::string> stores_set_aside(const Root& root) {
  std::vector<std::string> found;
  const auto add = [&](int folder, std::string_view prefix, const std::string& above) {
    const auto names = names_in_folder(folder);
    if (!names) return;
    for (const std::string& name : *names) {
      if (name.starts_with(prefix)) found.push_back(above + name);
    }
  };
  add(root.descriptor(), aside_beside, "");
  const Descriptor base(::openat(root.descriptor(), store_name.data(), folder_flags));
  if (base) add(base.get(), store_aside_prefix, std::string(store_name) + "/");
  std::sort(found.begin(), found.end());
  return found;
}

std::string store_warning(const Root& root) {
  const Store store = Store::find(root);
  if (store.state() == StoreState::foreign) {
    return ".notesdb " + store.why() +
           ": it is not used, and the next write sets it aside; remove it, with `git rm -r "
           ".notesdb` where git tracks it";
  }
  const std::vector<std::string> aside = stores_set_aside(root);
  if (aside.empty()) return "";
  return aside.front() +
         (aside.size() > 1 ? " and " + std::to_string(aside.size() - 1) + " more" : "") +
         " was found here, was not made by this user for this folder, and is not used; remove it";
}

}  // namespace notesdb
