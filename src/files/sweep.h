// The sweep: forgetting versions that were put aside more than a day ago, or are too many.
//
// An editor may have held a version open while it was put aside, and saved into it later. So each
// version is hashed before it goes, and one that was written to becomes a conflict copy beside its
// row. Runs under the write lock, when the journal says it is due, which is rarely.
#pragma once

#include "files/root.h"
#include "files/store.h"

namespace notesdb {

// After a change was recorded.
void sweep_if_due(const Root& root, Store& store);

// The same, whether due or not, as if the clock said `now_us`.
void sweep(const Root& root, int displaced, std::int64_t now_us);

}  // namespace notesdb
