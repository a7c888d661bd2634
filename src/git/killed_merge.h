// Killed merge: what a git that was killed while it merged (a power cut) leaves in the work tree,
// told apart from somebody's work.
//
// git writes a row by taking the old file away and making a new one. Killed in between it leaves no
// file, or an empty one, or the beginning of one, which the next commit would take for somebody's
// work. A sync merges only when everything is committed, so a mark that outlives its merge says
// that nobody meant those.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "files/descriptor.h"
#include "git/repository.h"

namespace notesdb {

// Stands in git's own folder while a merge changes the work tree, and names the commit it began at
// and the one that it merges.
class MergeMark {
 public:
  // `tree`: what is merged in the place of the tree of `other`; empty where it is that.
  MergeMark(const Repository& repository, const std::string& other, const std::string& tree);
  MergeMark(const MergeMark&) = delete;
  MergeMark& operator=(const MergeMark&) = delete;
  ~MergeMark();

 private:
  Descriptor folder_;
};

// After a merge that a mark has outlived: what it has written, as HEAD has it again. That is, of
// the files that differ between HEAD and the outcome of the merge (git makes it once more, apart):
// those that are gone or empty, and those that are the outcome's or its beginning. The merge to
// come makes them again; whatever else differs is somebody's. Their paths; none where the merge had
// come to its end. Only while no git is running here.
Result<std::vector<std::string>> put_back_after_kill(const Repository& repository);

// Without a mark nobody knows. Fails with conflict where a file was emptied that is not empty in
// HEAD: merged as work it would take away all that the other side has left alone, so a person has
// to say that it is meant.
Result<void> refuse_emptied_files(const Repository& repository);

// Whether an untracked file is one that a killed merge leaves at the top: `.merge_file_` and six
// letters for each side of a file that git gave to a driver; or a version that notesdb has put
// aside beside its row.
bool is_left_over(std::string_view path);

}  // namespace notesdb
