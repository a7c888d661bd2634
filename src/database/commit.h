// Commit: the one way from a plan to the disk, and what every writer answers.
//
//   const auto written = commit(files, mode, [&](Stage stage) -> Result<Plan> {...}, receipt);
//
// A plan is made without the lock, so that a refusal leaves no trace; a dry run ends there with the
// diff. Where other files have a say it is made again under the lock, unless its ground has not
// moved. A plan that another program overtakes is made again; what became of that program's
// versions meanwhile is said by the answer that ends the attempts, be it done or refused.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "files/file_system.h"

namespace notesdb {

// rehearsal: every check of a write, no diff and nothing written.
enum class WriteMode { write, dry_run, rehearsal };

// What every answer of every writer carries.
struct Receipt {
  std::string change{};                 // its id, which undo takes back; empty: nothing written
  std::string diff{};                   // of a dry run: unified, paths from the workspace root
  std::vector<std::string> warnings{};  // what the caller should know, in sentences
  bool durable = true;                  // false: written, but a sync failed
};

// When a plan is made.
enum class Stage { preview, before_lock, under_lock };

// A change that is not made yet: its steps, what they would do in words, what to warn of.
class Plan {
 public:
  Plan() = default;
  explicit Plan(Stage stage) : stage_(stage) {}

  std::vector<Step> steps;
  std::string diff;  // of a preview only
  std::vector<std::string> warnings;
  std::string what;         // for people: "import of 5,000 rows into books"
  bool needs_lock = false;  // other files than those of the steps have a say
  bool is_fixed = false;    // made of no reading: another one would be the same
  bool is_whole = true;     // false: made only far enough to be refused; the rest needs the lock
  // Under the lock: whether everything the plan rests on is as it was. Empty: the plan is made
  // again.
  std::function<bool()> holds;

  // A step, and its part of the diff.
  void create(const std::string& path, std::string bytes);
  void replace(const std::string& path, Etag etag, const std::string& before, std::string after);

 private:
  Stage stage_ = Stage::before_lock;
};

using MakePlan = std::function<Result<Plan>(Stage)>;

// Carries a plan out, or for a dry run only shows it. Fails as `make` and FileSystem::apply do; an
// error has the data `warnings` where an attempt before it left something to say. What it returns
// belongs to the steps of the plan that was made last, and is empty where nothing was written.
Result<Written> commit(FileSystem& files, WriteMode mode, const MakePlan& make, Receipt& receipt);

// The error that stands for another number of rows than the caller expects.
Error unexpected_count(std::string_view what, std::int64_t rows, std::int64_t expected);

}  // namespace notesdb
