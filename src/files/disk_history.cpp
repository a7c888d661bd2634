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
  const FileReading reading = read_settled(opened.get(), max_file, bytes);
  return to_file_bytes(reading, std::move(bytes), file, max_file);
}

// A process may have died between recording a step and taking it. The file that was to go in
// still lies where the version put aside would be.
bool took_effect(int displaced, const JournalEntry& step) {
  if (step.file.empty()) return true;
  const Result<FileBytes> kept = read_kept_in(displaced, step.file);
  if (step.kind == StepKind::remove) return kept.ok();
  return kept && kept->etag != step.new_etag;
}

Step opposite_of(const JournalEntry& step, std::string bytes) {
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

std::string why_not(const Store& store) {
  if (store.state() == StoreState::foreign) return ".notesdb " + store.why();
  if (store.state() == StoreState::unverified)
    return ".notesdb cannot be verified, because " + store.why();
  return "";
}

}  // namespace

// The one that this process writes to, as it knows that; else whatever lies there, if it is ours.
Disk::TrustedStore Disk::trusted_store() const {
  const auto copy = [](const Store& store) {
    if (!store.is_ours()) return TrustedStore{Descriptor(), "", why_not(store)};
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    return TrustedStore{Descriptor(::openat(store.displaced(), ".", flags)), store.word(), ""};
  };
  {
    const std::lock_guard<std::mutex> alone(store_mutex_);
    if (store_ && store_->is_ours() && store_->still_there(root_)) return copy(*store_);
  }
  return copy(Store::find(root_));
}

std::string Disk::past_problem() const {
  return trusted_store().why;
}

// Of a change of several files the intent says what became of it.
Result<void> Disk::past_changes(const std::function<bool(PastChange&)>& take) const {
  const TrustedStore kept = trusted_store();
  const Descriptor& displaced = kept.displaced;
  if (!displaced) return {};
  std::string text;
  if (const int error = read_journal(displaced.get(), kept.word, text)) {
    return failure(error, "read", ".notesdb/displaced/journal");
  }
  JournalReader reader(text);
  while (std::optional<PastChange> change = reader.next()) {
    if (change->steps.size() == 1 && !took_effect(displaced.get(), change->steps.front())) continue;
    if (!take(*change)) break;
  }
  return {};
}

Result<FileBytes> Disk::read_kept(std::string_view file) const {
  return read_kept_in(trusted_store().displaced.get(), std::string(file));
}

Result<std::vector<Step>> Disk::undo_steps(std::string_view id) const {
  const TrustedStore kept_here = trusted_store();
  const Descriptor& displaced = kept_here.displaced;
  const Error unknown{
      ErrorCode::invalid_argument,
      "there is no change " + quoted(id) + " that can be taken back" +
          (kept_here.why.empty() ? ", or it is not kept any more" : "; " + kept_here.why)};
  std::string text;
  if (!displaced || read_journal(displaced.get(), kept_here.word, text) != 0) return unknown;
  const std::optional<PastChange> change = JournalReader(text).find(id);
  if (!change) return unknown;
  std::vector<Step> back;
  std::set<std::string_view> folders;
  for (auto step = change->steps.rbegin(); step != change->steps.rend(); ++step) {
    // An earlier release wrote down a folder twice that was made with a file in it.
    const bool is_folder = step->kind == StepKind::create_folder;
    if (is_folder && !folders.insert(step->path).second) continue;
    if (!took_effect(displaced.get(), *step)) return unknown;
    std::string bytes;
    if (!step->file.empty()) {
      Result<FileBytes> kept = read_kept_in(displaced.get(), step->file);
      if (!kept) return kept.error();
      bytes = std::move(kept->bytes);
    }
    back.push_back(opposite_of(*step, std::move(bytes)));
    back.back().takes_back = change->id;
    back.back().is_redo = change->is_undo();
  }
  return back;
}

}  // namespace notesdb
