// Path filters: which paths each commit changed, kept by git beside its commits, so that the log of
// one row need not look into every commit (a tenth of the time, and less).
//
// They are git's own (`git commit-graph write --changed-paths`); any git may rewrite or drop them.
#pragma once

#include "git/repository.h"

namespace notesdb {

// Makes those that are missing: some milliseconds after a commit, a second for the first thousand.
// Nothing where git's configuration is without a commit graph, or git cannot; the log is slower
// then.
void keep_path_filters(const Repository& repository);

}  // namespace notesdb
