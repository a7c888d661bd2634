#include "files/cache_file.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/descriptor.h"
#include "files/etag.h"

namespace notesdb {
namespace {

constexpr mode_t owner_only = 0700;
// Pages of a smaller file are no burden, and asking for them again takes time.
constexpr std::size_t large = std::size_t{4} << 20U;

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// The folder and the two above it: ~/.cache may not be there yet.
void make_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    ::mkdir(path.substr(0, slash).c_str(), owner_only);
  }
}

}  // namespace

std::shared_ptr<MappedFile> MappedFile::open(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid() || status.st_size == 0) {
    return nullptr;
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) return nullptr;
  return std::shared_ptr<MappedFile>(new MappedFile({static_cast<char*>(start), size}));
}

MappedFile::~MappedFile() {
  ::munmap(bytes_.data(), bytes_.size());
}

Etag MappedFile::etag_from(std::size_t begin) const {
  constexpr std::size_t at_once = std::size_t{1} << 20U;  // a multiple of any page
  if (bytes_.size() < large) return etag_of({bytes_.data() + begin, bytes_.size() - begin});
  EtagStream stream;
  for (std::size_t at = 0; at < bytes_.size(); at += at_once) {
    const auto part = bytes_.subspan(at, std::min(at_once, bytes_.size() - at));
    const std::size_t skipped = std::min(begin - std::min(begin, at), part.size());
    stream.add({part.data() + skipped, part.size() - skipped});
    give_back(part);
  }
  return stream.etag();
}

void MappedFile::give_back(std::span<const char> part) const {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  // Of a part that lies elsewhere these are no places in the file.
  const std::size_t begin = reinterpret_cast<std::uintptr_t>(part.data()) -
                            reinterpret_cast<std::uintptr_t>(bytes_.data());
  const bool is_inside = begin < bytes_.size() && part.size() <= bytes_.size() - begin;
  if (bytes_.size() < large || !is_inside) return;
  const std::size_t first = begin / page * page;
  ::madvise(bytes_.data() + first, begin - first + part.size(), MADV_DONTNEED);
}

bool write_cache_file(const std::string& path, std::span<const std::string_view> parts) {
  std::string temporary = path + ".XXXXXX";
  int made = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (made < 0 && errno == ENOENT) {
    make_folders(path);
    temporary = path + ".XXXXXX";
    made = ::mkostemp(temporary.data(), O_CLOEXEC);
  }
  const Descriptor file(made);
  if (!file) return false;
  bool done = true;
  for (const std::string_view part : parts)
    done = done && write_all(file.get(), part);
  if (done && ::rename(temporary.c_str(), path.c_str()) == 0) return true;
  ::unlink(temporary.c_str());
  return false;
}

}  // namespace notesdb
