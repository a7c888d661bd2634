#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>

#include "core/beside.h"
#include "files/disk.h"
#include "files/etag.h"
#include "files/failure.h"
#include "files/kernel.h"
#include "files/reading.h"
#include "files/warming.h"

namespace notesdb {
namespace {

// Below this many files starting a thread costs more than it brings (measured).
constexpr std::size_t share_stats_from = 700;
constexpr std::size_t share_reads_from = 64;

// Up to as many are read because somebody knows that they were touched.
constexpr std::size_t few_touched = 256;

// As many show whether the files come from memory or from the disk.
constexpr std::size_t shown_by = 16;

// How many files a worker takes at a time: few of few, so that both end together; many of many, so
// that they seldom write next to each other.
std::size_t block_of(std::size_t count) {
  constexpr std::size_t blocks = 32;
  return std::clamp<std::size_t>(count / blocks, 4, 128);
}

// Calls work(worker, begin, end) for blocks of first..count, on both cores if `share`.
template <typename Work>
void in_blocks(std::size_t first, std::size_t count, bool share, const Work& work) {
  std::atomic<std::size_t> next{first};
  const std::size_t block = block_of(count - first);
  const auto run = [&](std::size_t worker) {
    for (std::size_t at = next.fetch_add(block); at < count; at = next.fetch_add(block)) {
      work(worker, at, std::min(at + block, count));
    }
  };
  if (!share) return run(0);
  const auto run_other = [&] {
    // The caller keeps the process's descriptor table; this thread needs one of its own only.
    kernel::own_descriptor_table();
    run(1);
  };
  Beside other(run_other);
  run(0);
  other.join();
}

FileStat stat_in(int folder, const char* name) {
  struct stat status {};
  if (!is_bare(name) || ::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
  return to_file_stat(status);
}

FileView read_in(int folder, const char* name, PassReader& reader) {
  FileView view;
  if (!is_bare(name)) {
    view.state = ReadState::missing;
    return view;
  }
  const Descriptor file = kernel::open_to_read(folder, name);
  if (!file) {
    if (errno == ENOENT) view.state = ReadState::missing;
    if (errno == ELOOP || errno == ENXIO) view.state = ReadState::not_regular;
    return view;
  }
  const FileReading reading = reader.read(file.get(), max_file);
  view.state = reading.state;
  view.key = reading.key;
  if (view.state == ReadState::whole || view.state == ReadState::being_written) {
    view.bytes = reader.bytes();
    view.etag = etag_of(view.bytes);
  }
  return view;
}

}  // namespace

Result<void> Disk::stat_all(std::string_view folder,
                            std::span<const char* const> names,
                            std::span<FileStat> out) const {
  Result<Descriptor> opened = root_.open_folder(folder);
  if (!opened) return opened.error();
  const int descriptor = opened->get();
  in_blocks(0,
            names.size(),
            names.size() >= share_stats_from,
            [&](std::size_t, std::size_t begin, std::size_t end) {
              for (std::size_t i = begin; i < end; ++i)
                out[i] = stat_in(descriptor, names[i]);
            });
  return {};
}

Result<void> Disk::read_all(std::string_view folder,
                            std::span<const char* const> names,
                            const std::function<void(const FileView&)>& take) const {
  Result<Descriptor> opened = root_.open_folder(folder);
  if (!opened) return opened.error();
  const int descriptor = opened->get();
  const auto expected = names.size() <= few_touched ? PassReader::Expects::touched_files
                                                    : PassReader::Expects::rested_files;
  std::array<PassReader, reading_threads> readers{PassReader(descriptor, expected),
                                                  PassReader(descriptor, expected)};
  const auto take_one = [&](std::size_t worker, std::size_t i, FileView view) {
    view.index = i;
    view.worker = worker;
    take(view);
  };
  const bool share = names.size() >= share_reads_from;
  Warmth warmth;
  std::size_t first = 0;
  for (; share && first < shown_by; ++first) {
    take_one(0, first, warmth.time([&] { return read_in(descriptor, names[first], readers[0]); }));
  }
  std::optional<Warming> warming;
  if (warmth.is_cold()) warming.emplace(descriptor, names.subspan(first));
  in_blocks(
      first, names.size(), share, [&](std::size_t worker, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          take_one(worker, i, read_in(descriptor, names[i], readers[worker]));
      });
  return {};
}

}  // namespace notesdb
