#include "git/path_filters.h"

namespace notesdb {

void keep_path_filters(const Repository& repository) {
  // Where core.commitGraph is off git writes nothing, and says so.
  static_cast<void>(repository.run({"commit-graph",
                                    "write",
                                    "--reachable",
                                    "--changed-paths",
                                    "--split",
                                    "--max-new-filters=10000",
                                    "--no-progress"}));
}

}  // namespace notesdb
