#include "files/guarantees.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/openat2.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#endif

#include "files/change_id.h"
#include "files/file_claim.h"
#include "files/kernel.h"
#include "files/store.h"

namespace notesdb {
namespace {

constexpr int random_part = 8;

// Two small files in the store, gone with the object.
class Specimens {
 public:
  explicit Specimens(int folder) : first_(make(folder)), second_(make(folder)) {}
  Specimens(const Specimens&) = delete;
  Specimens& operator=(const Specimens&) = delete;
  ~Specimens() {
    for (const Place& place : {first_, second_})
      ::unlinkat(place.folder, place.name.c_str(), 0);
  }
  const Place& first() const { return first_; }
  const Place& second() const { return second_; }

 private:
  static Place make(int folder) {
    constexpr mode_t owner_only = 0600;
    Place place{folder, "probe." + random_letters(random_part)};
    const Descriptor file(
        ::openat(folder, place.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, owner_only));
    return place;
  }

  Place first_;
  Place second_;
};

bool can_exchange(const Specimens& files) {
  const Place& a = files.first();
  const Place& b = files.second();
  return kernel::exchange(a.folder, a.name.c_str(), b.folder, b.name.c_str()) == 0;
}

bool can_lease(const Specimens& files) {
  const Place& a = files.first();
  const Descriptor file = kernel::open_to_read(a.folder, a.name.c_str());
  return kernel::take_read_lease(file.get()) == 0 && kernel::holds_read_lease(file.get());
}

bool can_create_unnamed(int folder) {
  const Descriptor file = kernel::unnamed_file(folder);
  const std::string name = "probe." + random_letters(random_part);
  if (!file || kernel::link_unnamed(file.get(), folder, name.c_str()) != 0) return false;
  ::unlinkat(folder, name.c_str(), 0);
  return true;
}

bool can_open_beneath(int folder) {
#ifdef SYS_openat2
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH;
  return static_cast<bool>(
      Descriptor(static_cast<int>(::syscall(SYS_openat2, folder, ".", &how, sizeof how))));
#else
  return folder < 0;
#endif
}

bool can_watch() {
#ifdef __linux__
  return static_cast<bool>(Descriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)));
#else
  return false;
#endif
}

bool has_store(const Root& root) {
  return ::faccessat(root.descriptor(), store_name.data(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

// Whoever has begun to write meanwhile has a lock file there, and everything stays.
void remove_unused_store(const Root& root, const Store& store) {
  if (::faccessat(store.base(), "lock", F_OK, AT_SYMLINK_NOFOLLOW) == 0) return;
  for (const char* folder : {"displaced", "intent"}) {
    if (::unlinkat(store.base(), folder, AT_REMOVEDIR) != 0) return;
  }
  ::unlinkat(store.base(), ".gitignore", 0);
  ::unlinkat(store.base(), "owner", 0);
  ::unlinkat(root.descriptor(), store_name.data(), AT_REMOVEDIR);
}

std::vector<Guarantee> probe(const Root& root, const Store& store) {
  const Specimens files(store.displaced());
  return std::vector<Guarantee>{
      {"exchange",
       can_exchange(files),
       "a save by another program in the same instant as ours may go unnoticed; the version before "
       "is kept in the trash"},
      {"lease",
       can_lease(files),
       "a program that opens a row while we replace it is noticed only by what it has written; "
       "what "
       "it writes later is found in the store"},
      {"unnamed_file",
       can_create_unnamed(store.displaced()),
       "a crash while a row is created may leave a file in .notesdb/displaced for a day"},
      {"open_beneath",
       can_open_beneath(root.descriptor()),
       "paths are opened one folder at a time, which is slower and as safe"},
      {"watch", can_watch(), "a server looks at every file before it answers, which is slower"},
  };
}

}  // namespace

Result<std::vector<Guarantee>> probe_guarantees(const Root& root) {
  if (Store::find(root).state() == StoreState::foreign)
    return Error{ErrorCode::io_error, "nothing was tried, because .notesdb is not ours"};
  const bool was_there = has_store(root);
  const Result<Store> store = Store::make(root);
  if (!store) return store.error();
  std::vector<Guarantee> found = probe(root, *store);
  if (!was_there) remove_unused_store(root, *store);
  return found;
}

}  // namespace notesdb
