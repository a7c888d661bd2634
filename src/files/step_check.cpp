#include "files/step_check.h"

#include <cerrno>
#include <set>
#include <string_view>

#include <sys/stat.h>

#include "files/failure.h"
#include "files/reading.h"
#include "files/writable_path.h"

namespace notesdb {
namespace {

constexpr std::size_t max_left_open = 8;

Result<void> check_named_once(const std::vector<Step>& steps) {
  std::set<std::string_view> seen;
  for (const Step& step : steps) {
    for (const std::string* path : {&step.path, &step.new_path}) {
      if (path->empty() || seen.insert(*path).second) continue;
      return Error{ErrorCode::invalid_argument,
                   quoted(*path) + " is named twice in one change; make it one step"};
    }
  }
  return {};
}

Result<void> check_names(const Step& step) {
  if (Result<void> fits = check_writable_step(step.kind, step.path, step.new_path); !fits)
    return fits;
  if (step.bytes.size() > max_file) {
    return Error{
        ErrorCode::limit_exceeded,
        quoted(step.path) + " would be longer than " + std::to_string(max_file) + " bytes"};
  }
  return {};
}

// Not enough to write over it, for which the bytes are compared under the lock, but enough for
// here.
bool is_as_seen(int file, const StatKey& seen) {
  struct stat status {};
  return seen.inode != 0 && ::fstat(file, &status) == 0 && to_file_stat(status).key == seen;
}

Result<Descriptor> check_expected(const Root& root, const Step& step) {
  Result<Descriptor> file = root.open_file(step.path);
  if (!file && file.error().code == ErrorCode::unknown_row) return conflict(step.path, nullptr);
  if (!file) return file.error();
  if (is_as_seen(file->get(), step.seen)) return file;
  std::string bytes;
  const FileReading reading = read_settled(file->get(), max_file, bytes);
  if (reading.state == ReadState::being_written) return file;  // the look under the lock waits
  const Result<FileBytes> now = to_file_bytes(reading, std::move(bytes), step.path, max_file);
  if (!now) return now.error();
  if (now->etag != step.expected) return conflict(step.path, &now->etag);
  return file;
}

// The row, where the step has one.
Result<Descriptor> check_step(const Root& root, const Step& step) {
  if (Result<void> fits = check_names(step); !fits) return fits.error();
  switch (step.kind) {
    case StepKind::replace:
    case StepKind::remove:
    case StepKind::rename: return check_expected(root, step);
    case StepKind::create:
      if (root.open_file(step.path)) {
        Error taken = failure(EEXIST, "create", step.path);
        return std::move(taken).with("path", step.path);
      }
      break;
    case StepKind::create_folder:
    case StepKind::remove_folder: break;
  }
  return Descriptor();
}

}  // namespace

bool adds_name(StepKind kind) {
  return kind == StepKind::create || kind == StepKind::create_folder || kind == StepKind::rename;
}

Result<std::vector<Descriptor>> check_steps(const Root& root, const std::vector<Step>& steps) {
  if (Result<void> once = check_named_once(steps); !once) return once.error();
  std::vector<Descriptor> opened;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Result<Descriptor> row = check_step(root, steps[i]);
    if (!row) {
      Error error = row.error();
      return std::move(error).with("step", static_cast<std::int64_t>(i));
    }
    if (steps.size() <= max_left_open) opened.push_back(std::move(*row));
  }
  return opened;
}

}  // namespace notesdb
