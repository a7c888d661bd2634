#include "files/store.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/change_id.h"
#include "files/failure.h"
#include "files/journal.h"
#include "files/kernel.h"
#include "files/store_aside.h"
#include "files/store_word.h"

namespace notesdb {
namespace {

constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
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
