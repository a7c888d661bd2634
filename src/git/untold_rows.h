// Untold rows: rows that a sync gave another id, and no answer has said so yet.
//
// A sync that is killed, or stops at a conflict, has decided and cannot tell. What it is about to do
// stands in git's own folder until a sync comes to its end and its answer has been written.
#pragma once

#include <cstdint>
#include <vector>

#include "files/file_system.h"
#include "git/renumber.h"
#include "git/repository.h"

namespace notesdb {

// In the journal, of a change that gives rows other ids.
inline constexpr const char* renumbering_words = "renumbering of rows";

// Before the change; after those that stand there already.
void keep_untold_rows(const Repository& repository, const std::vector<Renumbered>& rows);

// Those that were kept, of which the journal says that they came to be.
std::vector<Renumbered> untold_rows(const Repository& repository, const FileSystem& files);

// How much is kept, in bytes; 0 where nothing is.
std::uint64_t untold_size(const Repository& repository);

// Once all of so many bytes has been told. What another sync has added since stays, with the rest.
void forget_untold_rows(const Repository& repository, std::uint64_t told);

}  // namespace notesdb
