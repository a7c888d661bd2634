#include "files/folder_cache.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>

#include "files/failure.h"
#include "files/names.h"

namespace notesdb {
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
