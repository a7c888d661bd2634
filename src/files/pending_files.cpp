#include "files/pending_files.h"

#include <algorithm>
#include <cerrno>
#include <set>

#include "files/etag.h"
#include "files/failure.h"
#include "files/names.h"
#include "files/writable_path.h"

namespace notesdb {

namespace {

bool is_missing(const Error& error) {
  return error.code == ErrorCode::unknown_row;
}

std::string beginning_of(std::string_view folder) {
  return folder == "." ? "" : std::string(folder) + "/";
}

FileStat stat_of(const StatKey& key, bool is_there) {
  return is_there ? FileStat{FileKind::regular, key} : FileStat{};
}

}  // namespace

const PendingFiles::File* PendingFiles::find(std::string_view path) const {
  const auto found = files_.find(path);
  return found == files_.end() ? nullptr : &found->second;
}

bool PendingFiles::has_file_below(std::string_view folder) const {
  const std::string beginning = beginning_of(folder);
  for (auto file = files_.lower_bound(beginning); file != files_.end(); ++file) {
    if (!file->first.starts_with(beginning)) return false;
    if (file->second.after) return true;
  }
  return false;
}

bool PendingFiles::is_folder_here(std::string_view folder) const {
  return std::ranges::find(new_folders_, folder) != new_folders_.end() || has_file_below(folder);
}

Result<std::vector<Entry>> PendingFiles::list(std::string_view folder) const {
  auto entries = below_.list(folder);
  if (!entries && !(is_missing(entries.error()) && is_folder_here(folder))) return entries;
  std::map<std::string, FileKind> kinds;
  if (entries) {
    for (Entry& entry : *entries)
      kinds.emplace(std::move(entry.name), entry.kind);
  }
  const std::string beginning = beginning_of(folder);
  for (auto file = files_.lower_bound(beginning);
       file != files_.end() && file->first.starts_with(beginning);
       ++file) {
    const std::string rest = file->first.substr(beginning.size());
    const std::size_t slash = rest.find('/');
    const bool is_here = file->second.after.has_value();
    if (slash != std::string::npos) {
      if (is_here) kinds.emplace(rest.substr(0, slash), FileKind::folder);
    } else if (is_here) {
      kinds[rest] = FileKind::regular;
    } else {
      kinds.erase(rest);
    }
  }
  for (const std::string& made : new_folders_) {
    if (folder_of(made) == folder) kinds.emplace(name_in(made), FileKind::folder);
  }
  std::vector<Entry> laid_over;
  for (const auto& [name, kind] : kinds)
    laid_over.push_back({name, kind});
  return laid_over;
}

Result<FileStat> PendingFiles::stat(std::string_view path) const {
  if (const File* file = find(path)) return stat_of(file->key, file->after.has_value());
  auto known = stats_.find(path);
  if (known == stats_.end()) {
    const auto below = below_.stat(path);
    if (!below) return below;
    known = stats_.emplace(path, *below).first;
  }
  FileStat found = known->second;
  if (found.kind == FileKind::missing && is_folder_here(path)) found.kind = FileKind::folder;
  // Whoever remembers a listing lists again.
  if (found.kind == FileKind::folder) found.key.size += saves_;
  return found;
}

Result<void> PendingFiles::stat_all(std::string_view folder,
                                    std::span<const char* const> names,
                                    std::span<FileStat> out) const {
  const auto done = below_.stat_all(folder, names, out);
  if (!done && !(is_missing(done.error()) && is_folder_here(folder))) return done;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const File* file = find(join_path(folder, names[i])))
      out[i] = stat_of(file->key, file->after.has_value());
  }
  return {};
}

Result<FileBytes> PendingFiles::read(std::string_view path, std::uint64_t cap) const {
  const File* file = find(path);
  if (file == nullptr) {
    auto below = below_.read(path, cap);
    if (below && !below->being_written) remember(std::string(path), *below);
    return below;
  }
  if (!file->after) return failure(ENOENT, "read", path);
  return FileBytes{*file->after, file->etag, file->key};
}

PendingFiles::File& PendingFiles::remember(const std::string& path, FileBytes below) const {
  File& file = files_[path];
  file.before = std::move(below.bytes);
  file.etag_before = below.etag;
  file.after = file.before;
  file.etag = below.etag;
  file.key_before = below.key;
  file.key = below.key;
  return file;
}

Result<void> PendingFiles::read_all(std::string_view folder,
                                    std::span<const char* const> names,
                                    const std::function<void(const FileView&)>& take) const {
  std::vector<const char*> others;
  std::vector<std::size_t> places;
  std::vector<std::pair<std::size_t, const File*>> ours;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const File* file = find(join_path(folder, names[i]))) {
      ours.emplace_back(i, file);
    } else {
      others.push_back(names[i]);
      places.push_back(i);
    }
  }
  if (!others.empty()) {
    const auto done = below_.read_all(folder, others, [&](const FileView& seen) {
      FileView view = seen;
      view.index = places[seen.index];
      take(view);
    });
    if (!done) return done;
  }
  for (const auto& [index, file] : ours) {
    FileView view;
    view.index = index;
    view.state = ReadState::missing;
    if (file->after) {
      view.state = ReadState::whole;
      view.bytes = *file->after;
      view.etag = file->etag;
      view.key = file->key;
    }
    take(view);
  }
  return {};
}

Result<void> PendingFiles::check_expected(const Step& step) const {
  const auto now = read(step.path);
  if (!now) return is_missing(now.error()) ? conflict(step.path, nullptr) : now.error();
  if (now->etag != step.expected) return conflict(step.path, &now->etag);
  return {};
}

// A file system that folds names shows a file under its new name before it has been renamed.
Result<void> PendingFiles::check_free(std::string_view path, std::string_view model) const {
  if (auto fits = check_new_path(path); !fits) return fits;
  const auto there = stat(path);
  if (!there) return there.error();
  if (there->kind == FileKind::missing) return {};
  const File* same = find(model);
  const bool is_same = same != nullptr && same->key_before.inode == there->key.inode &&
                       same->key_before.device == there->key.device &&
                       folded_name(model) == folded_name(path);
  return is_same ? Result<void>() : failure(EEXIST, "create", path);
}

Result<void> PendingFiles::check(const Step& step) const {
  if (auto fits = check_writable_step(step.kind, step.path, step.new_path); !fits) return fits;
  switch (step.kind) {
    case StepKind::create:
    case StepKind::create_folder: return check_free(step.path, step.like);
    case StepKind::replace:
    case StepKind::remove: return check_expected(step);
    case StepKind::rename: {
      if (auto expected = check_expected(step); !expected) return expected;
      return check_free(step.new_path, step.path);
    }
    case StepKind::remove_folder: break;
  }
  return {};
}

Result<PendingFiles::File*> PendingFiles::touch(const std::string& path) {
  const auto known = files_.find(path);
  if (known != files_.end()) return &known->second;
  auto below = below_.read(path);
  if (below) return &remember(path, std::move(*below));
  if (!is_missing(below.error())) return below.error();
  return &files_[path];
}

// The key is one that no file has and no other save here: whoever remembers readings reads again.
void PendingFiles::put(File& file, std::string bytes) {
  file.etag = etag_of(bytes);
  file.key = StatKey{.size = bytes.size(), .inode = saves_};
  file.after = std::move(bytes);
}

Result<Etag> PendingFiles::move(const Step& step) {
  auto from = touch(step.path);
  if (!from) return from.error();
  auto to = touch(step.new_path);
  if (!to) return to.error();
  File& source = **from;
  File& target = **to;
  for (File* file : {&source, &target})
    if (file->first_save == 0) file->first_save = saves_;
  target.like = source.before ? step.path : source.like;
  target.like_kept = source.like_kept;
  put(target, *std::move(source.after));
  source.after.reset();
  return target.etag;
}

Result<Etag> PendingFiles::take(const Step& step) {
  ++saves_;
  if (step.kind == StepKind::create_folder) new_folders_.push_back(step.path);
  if (step.kind == StepKind::remove_folder) left_folders_.push_back(step.path);
  if (step.kind == StepKind::create_folder || step.kind == StepKind::remove_folder) return Etag{};
  if (step.kind == StepKind::rename) return move(step);
  auto touched = touch(step.path);
  if (!touched) return touched.error();
  File& file = **touched;
  if (file.first_save == 0) file.first_save = saves_;
  if (step.kind == StepKind::remove) {
    file.after.reset();
    return file.etag;
  }
  if (step.kind == StepKind::create) {
    // Only what lies below can be a model for what will be made there.
    const File* model = step.like.empty() ? nullptr : find(step.like);
    file.like = model == nullptr || model->before ? step.like : model->like;
    file.like_kept = step.like_kept;
  }
  put(file, step.bytes);
  return file.etag;
}

Result<Written> PendingFiles::apply(const std::vector<Step>& steps, std::string_view /*what*/) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto fits = check(steps[i]);
    if (!fits) return Error(fits.error()).with("step", static_cast<std::int64_t>(i));
  }
  Written written;
  written.mtimes_ns.assign(steps.size(), 0);  // nothing is written yet
  for (const Step& step : steps) {
    const auto etag = take(step);
    if (!etag) return etag.error();
    written.etags.push_back(*etag);
  }
  return written;
}

std::vector<std::pair<std::string, const PendingFiles::File*>> PendingFiles::changed() const {
  std::vector<std::pair<std::string, const File*>> changed;
  for (const auto& [path, file] : files_)
    if (file.first_save > 0 && file.before != file.after) changed.emplace_back(path, &file);
  std::ranges::stable_sort(changed, {}, [](const auto& entry) { return entry.second->first_save; });
  return changed;
}

std::vector<Step> PendingFiles::steps() const {
  std::vector<Step> steps;
  for (const std::string& folder : new_folders_)
    steps.push_back(Step::create_folder(folder));
  std::vector<Step> removals;
  std::set<std::string> moved;
  std::map<std::string, std::string> rewritten;  // moved with other bytes: what they are now
  for (const auto& [path, file] : changed()) {
    if (!file->before) {
      const File* model = find(file->like);
      const bool is_moved = model != nullptr && !model->after && model->before == file->after &&
                            file->like_kept.empty() && moved.insert(file->like).second;
      Step made = is_moved ? Step::rename(file->like, path, model->etag_before)
                           : Step::create(path, *file->after);
      if (!is_moved) made.like = file->like;
      if (!is_moved && model != nullptr && !model->after) rewritten.emplace(file->like, path);
      made.like_kept = file->like_kept;
      steps.push_back(std::move(made));
    } else if (!file->after) {
      removals.push_back(Step::remove(path, file->etag_before));
    } else {
      steps.push_back(Step::replace(path, file->etag_before, *file->after));
      steps.back().seen = file->key_before;
    }
  }
  std::erase_if(removals, [&](const Step& step) { return moved.contains(step.path); });
  for (Step& removal : removals) {
    const auto now = rewritten.find(removal.path);
    if (now != rewritten.end()) removal.new_path = now->second;
  }
  std::ranges::move(removals, std::back_inserter(steps));
  for (const std::string& folder : left_folders_) {
    if (!has_file_below(folder)) steps.push_back(Step::remove_folder(folder));
  }
  return steps;
}

std::vector<PendingFiles::Difference> PendingFiles::differences() const {
  std::vector<Difference> differences;
  for (const auto& [path, file] : changed())
    differences.push_back({path, file->before, file->after});
  return differences;
}

}  // namespace notesdb
