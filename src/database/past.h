// Past: what notesdb itself changed, as long as the trash keeps it, and going back and forth in it
// as an editor does.
//
// Saves of other programs are not in it; a version of theirs that a change of ours put aside is.
//
//   A, B made       undo takes back B, then A
//   B, A undone     redo makes A again, then B; after any other change there is nothing to redo
//
// A change that was undone is named by the undo that took it back, an undo by its redo; so what
// comes next follows from the journal alone, for every process alike.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "database/workspace.h"

namespace notesdb {

// What a change was for: the words it was made with, or such that follow from its steps.
std::string words_of(const PastChange& change);
// The words of the change that takes this one back.
std::string words_of_undo(const FileSystem& files, std::string_view change);

// What somebody asks about: a row, which need not exist any more, all files of a database, or all.
struct PastScope {
  std::string database_id = {};
  std::string row_id = {};
};

// The changes that name a file of the scope, newest first, each with its steps about it.
struct PastEntry {
  PastChange change;
  std::string what;
  bool undone = false;  // taken back since
};
// Shows them until `take` answers false.
Result<void> read_past(Workspace& workspace,
                       const PastScope& scope,
                       const std::function<bool(PastEntry&)>& take);

// The texts of a file before and after each step, of steps that are shown from the newest on.
class PastTexts {
 public:
  explicit PastTexts(const FileSystem& files) : files_(files) {}

  struct Texts {
    std::optional<std::string> before;
    std::optional<std::string> after;
    bool is_known = false;  // false: another program has changed the file since
  };
  Texts read(const JournalEntry& step) const;
  // Where the text before the step is; to be told of every step.
  void pass(const JournalEntry& step);

 private:
  struct Place {
    std::optional<Etag> etag;
    std::string file;  // the version put aside; empty where it moved with the step
  };
  std::optional<std::string> text_after(const JournalEntry& step) const;

  const FileSystem& files_;
  std::map<std::string, Place> next_;  // by path: before the step that was passed last
};

enum class PastDirection { undo, redo };

// The error where only so many changes can be undone or redone; where it is none, with what is wrong
// with the store.
Error not_so_many(const FileSystem& files, PastDirection direction, std::size_t found);

// The changes that undo would take back next, or the undos that redo would, the next one first, up
// to `count`.
Result<std::vector<std::string>> next_changes(const FileSystem& files,
                                              PastDirection direction,
                                              std::size_t count);

// Takes them back, one after the other. Fails with invalid_argument, changing nothing, if there are
// not so many; with the error of the first that cannot be taken back, which says how many were
// before it.
Result<std::vector<Workspace::Undone>> step_through_past(Workspace& workspace,
                                                         PastDirection direction,
                                                         std::int64_t count);

// What taking these changes back, one after the other, would do: a unified diff and the paths.
// Fails as doing it would.
struct UndoPlan {
  std::vector<std::string> paths;
  std::string diff;
};
Result<UndoPlan> plan_undo(Workspace& workspace, const std::vector<std::string>& changes);

// The rows deleted by changes of ours since then that have not been taken back.
std::int64_t deletions_since(const FileSystem& files, std::int64_t time_us);

}  // namespace notesdb
