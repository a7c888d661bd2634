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

namespace {

constexpr std::size_t max_kept = 16;

bool is_at(const OpenFolder& folder, int above, std::string_view name) {
  struct stat status {};
  return ::fstatat(above, std::string(name).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         status.st_ino == folder.inode && status.st_dev == folder.device;
}

}  // namespace

Result<std::shared_ptr<const OpenFolder>> FolderCache::open(std::string_view path) {
  {
    const std::lock_guard<std::mutex> alone(mutex_);
    if (const auto* kept = find(path)) return *kept;
  }
  Result<Descriptor> opened = root_.open_folder(path);
  if (!opened) return opened.error();
  struct stat status {};
  if (::fstat(opened->get(), &status) != 0) return failure(errno, "open", path);
  const auto folder = std::make_shared<const OpenFolder>(
      OpenFolder{std::move(*opened), status.st_dev, status.st_ino});
  if (folder->device == root_.device()) keep(path, folder);
  return folder;
}

const std::shared_ptr<const OpenFolder>* FolderCache::find(std::string_view path) {
  const auto kept = kept_.find(path);
  if (kept == kept_.end()) return nullptr;
  if (path == ".") return &kept->second;
  const std::string_view above = folder_of(path);
  const auto* parent = above == "." ? nullptr : find(above);
  const bool is_reached = above == "." || parent != nullptr;
  const int from = parent != nullptr ? (*parent)->file.get() : root_.descriptor();
  if (is_reached && is_at(*kept->second, from, name_in(path))) return &kept->second;
  kept_.erase(kept);
  return nullptr;
}

void FolderCache::keep(std::string_view path, const std::shared_ptr<const OpenFolder>& folder) {
  const std::string_view above = folder_of(path);
  // One is found by way of those above it, which are then asked for often enough to be kept too.
  if (above != "." && !open(above)) return;
  const std::lock_guard<std::mutex> alone(mutex_);
  if (kept_.size() >= max_kept) kept_.clear();
  kept_.insert_or_assign(std::string(path), folder);
}

}  // namespace notesdb
