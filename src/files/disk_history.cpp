#include <algorithm>
#include <cerrno>
#include <set>

#include <fcntl.h>

#include "files/disk.h"
#include "files/etag.h"
#include "files/failure.h"
#include "files/journal.h"
#include "files/kernel.h"
#include "files/reading.h"

namespace notesdb {
namespace {

// A version was kept under a second name for a moment where the file system cannot exchange.
Descriptor open_kept(int displaced, const std::string& file) {
  Descriptor opened = kernel::open_to_read(displaced, (file + ".old").c_str());
  if (opened) return opened;
  return kernel::open_to_read(displaced, file.c_str());
}

Result<FileBytes> read_kept_in(int displaced, const std::string& file) {
  const Error gone{ErrorCode::unknown_row, "the version " + quoted(file) + " is not kept any more"};
  if (file.empty() || file.find('/') != std::string::npos) return gone;
  const Descriptor opened = open_kept(displaced, file);
  if (!opened) return gone;
  std::string bytes;
  const FileReading reading = read_settled(opened.get(), largest_file, bytes);
  return to_file_bytes(reading, std::move(bytes), file, largest_file);
}

// A process may have died between recording a step and taking it. The file that was to go in
// still lies where the version put aside would be.
bool took_effect(int displaced, const Kept& step) {
  if (step.file.empty()) return true;
  const Result<FileBytes> kept = read_kept_in(displaced, step.file);
  if (step.kind == StepKind::remove) return kept.ok();
  return kept && kept->etag != step.new_etag;
}

Step opposite_of(const Kept& step, std::string bytes) {
  switch (step.kind) {
    case StepKind::create: return Step::remove(step.path, *step.new_etag);
    case StepKind::replace: return Step::replace(step.path, *step.new_etag, std::move(bytes));
    case StepKind::rename: return Step::rename(step.new_path, step.path, *step.old_etag);
    case StepKind::create_folder: return Step::remove_folder(step.path);
    case StepKind::remove_folder: return Step::create_folder(step.path);
    case StepKind::remove: break;
  }
  Step back = Step::create(step.path, std::move(bytes));
  back.like_kept = step.file;
  return back;
}

Step step_back(const Kept& step, std::string bytes) {
  Step back = opposite_of(step, std::move(bytes));
  back.takes_back = step.change;
  return back;
}

}  // namespace

Result<std::vector<Kept>> Disk::history(std::string_view path, std::size_t most) const {
  std::vector<Kept> found;
  const Descriptor displaced = open_displaced(root_);
  if (!displaced) return found;
  std::vector<Kept> steps;
  if (const int error = read_journal(displaced.get(), steps)) {
    return failure(error, "read", ".notesdb/displaced/journal");
  }
  std::set<std::string, std::less<>> names{std::string(path)};
  for (auto step = steps.rbegin(); step != steps.rend() && found.size() < most; ++step) {
    if (!path.empty() && names.count(step->path) == 0 && names.count(step->new_path) == 0) continue;
    if (!took_effect(displaced.get(), *step)) continue;
    if (step->kind == StepKind::rename) names.insert(step->path);
    found.push_back(std::move(*step));
  }
  return found;
}

Result<FileBytes> Disk::read_kept(std::string_view file) const {
  const Descriptor displaced = open_displaced(root_);
  return read_kept_in(displaced.get(), std::string(file));
}

Result<std::vector<Step>> Disk::undo_steps(std::string_view change) const {
  const Error unknown{ErrorCode::invalid_argument,
                      "there is no change " + quoted(change) +
                          " that can be taken back; changes are kept for a day"};
  std::vector<Kept> steps;
  const Descriptor displaced = open_displaced(root_);
  if (!displaced || read_journal(displaced.get(), steps) != 0) return unknown;
  std::erase_if(steps, [&](const Kept& step) { return step.change != change; });
  std::reverse(steps.begin(), steps.end());
  std::vector<Step> back;
  for (const Kept& step : steps) {
    if (!took_effect(displaced.get(), step)) return unknown;
    std::string bytes;
    if (!step.file.empty()) {
      Result<FileBytes> kept = read_kept_in(displaced.get(), step.file);
      if (!kept) return kept.error();
      bytes = std::move(kept->bytes);
    }
    back.push_back(step_back(step, std::move(bytes)));
  }
  if (back.empty()) return unknown;
  return back;
}

}  // namespace notesdb
