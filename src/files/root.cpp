#include "files/root.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>

#include "files/failure.h"
#include "files/kernel.h"
#include "files/names.h"

namespace notesdb {

Result<Root> Root::open(const std::string& path) {
  Root root;
  root.path_ = path;
  root.folder_ = Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.folder_ && errno == ENOTDIR) {
    return Error{ErrorCode::invalid_argument, "the workspace root is not a folder"};
  }
  struct stat status {};
  if (!root.folder_ || ::fstat(root.folder_.get(), &status) != 0) {
    return Error{ErrorCode::io_error, "cannot open the workspace root: " + errno_words(errno)};
  }
  root.identity_ = to_file_stat(status).key;
  return root;
}

Result<Descriptor> Root::open_file(std::string_view path) const {
  if (Result<void> fits = check_path(path); !fits) return fits.error();
  const std::string text(path);
  Descriptor file = kernel::open_to_read_beneath(folder_.get(), text.c_str());
  if (!file) return failure(errno, "open", path);
  return file;
}

Result<Descriptor> Root::open_folder(std::string_view path) const {
  if (Result<void> fits = check_path(path); !fits) return fits.error();
  const std::string text(path);
  Descriptor folder = kernel::open_beneath(
      folder_.get(), text.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (!folder && errno == ENOENT) {
    return Error{ErrorCode::unknown_row, "there is no folder " + quoted(path)};
  }
  if (!folder && errno == ENOTDIR) {
    return Error{ErrorCode::path_not_allowed, quoted(path) + " is not a folder, or passes a link"};
  }
  if (!folder) return failure(errno, "open", path);
  return folder;
}

Result<void> Root::check_alive() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && status.st_dev == identity_.device &&
      status.st_ino == identity_.inode) {
    return {};
  }
  return Error{ErrorCode::io_error,
               "the workspace folder was moved, removed or replaced; open it again"};
}

}  // namespace notesdb
