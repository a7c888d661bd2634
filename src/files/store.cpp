#include "files/store.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>

#include "files/failure.h"
#include "files/kernel.h"

namespace notesdb {
namespace {

constexpr mode_t everyone_folder = 0777;  // less the umask
constexpr mode_t everyone_file = 0666;
constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;

// Opens a folder beneath another, made if missing. A link in its place is refused.
Result<Descriptor> make_folder(int parent, const char* name, std::string_view shown) {
  Descriptor folder(::openat(parent, name, folder_flags));
  if (!folder && errno == ENOENT) {
    if (::mkdirat(parent, name, everyone_folder) != 0 && errno != EEXIST) {
      return failure(errno, "make", shown);
    }
    folder = Descriptor(::openat(parent, name, folder_flags));
  }
  if (!folder) return failure(errno, "open", shown);
  return folder;
}

Result<void> make_gitignore(int folder) {
  const Descriptor file(::openat(
      folder, ".gitignore", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, everyone_file));
  if (!file && errno == EEXIST) return {};
  const int error = file ? write_whole(file.get(), "*\n") : errno;
  if (error != 0) return failure(error, "write", ".notesdb/.gitignore");
  return {};
}

}  // namespace

bool Store::still_there() const {
  for (const Descriptor* folder : {&base_, &displaced_, &intent_}) {
    struct stat status {};
    if (!*folder || ::fstat(folder->get(), &status) != 0 || status.st_nlink == 0) return false;
  }
  return true;
}

Result<Store> Store::make(const Root& root) {
  Store store;
  Result<Descriptor> base = make_folder(root.descriptor(), ".notesdb", store_name);
  if (!base) return base.error();
  store.base_ = std::move(*base);
  if (Result<void> done = make_gitignore(store.base()); !done) return done.error();
  Result<Descriptor> displaced = make_folder(store.base(), "displaced", ".notesdb/displaced");
  if (!displaced) return displaced.error();
  store.displaced_ = std::move(*displaced);
  Result<Descriptor> intent = make_folder(store.base(), "intent", ".notesdb/intent");
  if (!intent) return intent.error();
  store.intent_ = std::move(*intent);
  struct stat status {};
  if (::fstat(store.displaced(), &status) != 0) return failure(errno, "read", ".notesdb/displaced");
  store.device_ = status.st_dev;
  return store;
}

Descriptor open_displaced(const Root& root) {
  return kernel::open_beneath(root.descriptor(), ".notesdb/displaced", folder_flags);
}

}  // namespace notesdb
