#include "files/file_system.h"

#include <array>
#include <set>
#include <utility>

namespace notesdb {

namespace {

constexpr std::array<std::string_view, 6> step_names = {
    "create", "replace", "remove", "rename", "create_folder", "remove_folder"};

}  // namespace

std::string_view name_of(StepKind kind) {
  return step_names[static_cast<std::size_t>(kind)];
}

std::optional<StepKind> parse_step_kind(std::string_view name) {
  for (std::size_t i = 0; i < step_names.size(); ++i) {
    if (step_names[i] == name) return static_cast<StepKind>(i);
  }
  return std::nullopt;
}

Step Step::create(std::string path, std::string bytes) {
  Step step;
  step.kind = StepKind::create;
  step.path = std::move(path);
  step.bytes = std::move(bytes);
  return step;
}

Step Step::replace(std::string path, Etag expected, std::string bytes) {
  Step step = create(std::move(path), std::move(bytes));
  step.kind = StepKind::replace;
  step.expected = expected;
  return step;
}

Step Step::remove(std::string path, Etag expected) {
  Step step;
  step.kind = StepKind::remove;
  step.path = std::move(path);
  step.expected = expected;
  return step;
}

Step Step::rename(std::string path, std::string new_path, Etag expected) {
  Step step = remove(std::move(path), expected);
  step.kind = StepKind::rename;
  step.new_path = std::move(new_path);
  return step;
}

Step Step::create_folder(std::string path) {
  Step step;
  step.kind = StepKind::create_folder;
  step.path = std::move(path);
  return step;
}

Step Step::remove_folder(std::string path) {
  Step step = create_folder(std::move(path));
  step.kind = StepKind::remove_folder;
  return step;
}

Result<Written> FileSystem::create(std::string path, std::string bytes) {
  return apply({Step::create(std::move(path), std::move(bytes))});
}

Result<Written> FileSystem::replace(std::string path, Etag expected, std::string bytes) {
  return apply({Step::replace(std::move(path), expected, std::move(bytes))});
}

Result<Written> FileSystem::remove(std::string path, Etag expected) {
  return apply({Step::remove(std::move(path), expected)});
}

Result<Written> FileSystem::rename(std::string path, std::string new_path, Etag expected) {
  return apply({Step::rename(std::move(path), std::move(new_path), expected)});
}

Result<std::vector<JournalEntry>> FileSystem::history(std::string_view path,
                                                      std::size_t most) const {
  std::vector<JournalEntry> found;
  std::set<std::string, std::less<>> names{std::string(path)};
  const auto done = past_changes([&](PastChange& change) {
    for (auto step = change.steps.rbegin(); step != change.steps.rend(); ++step) {
      if (!path.empty() && names.count(step->path) == 0 && names.count(step->new_path) == 0)
        continue;
      if (!step->new_path.empty()) names.insert(step->path);
      if (found.size() < most) found.push_back(std::move(*step));
    }
    return found.size() < most;
  });
  if (!done) return done.error();
  return found;
}

}  // namespace notesdb
