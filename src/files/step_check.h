// check_steps: everything that can be refused before a change leaves its first trace on the disk.
//
// Names, sizes, and whether each file holds what is expected, as it stands now. The change looks
// again under the lock; this look only ends a stale change early and cheaply.
#pragma once

#include <vector>

#include "core/result.h"
#include "files/root.h"

namespace notesdb {

// Fails as apply does, with the number of the step in the data. Of a few steps it gives the rows
// that it has opened, by step, so that they need not be opened again for what else they have.
Result<std::vector<Descriptor>> check_steps(const Root& root, const std::vector<Step>& steps);

// Whether a step of this kind puts a new name into a folder.
bool adds_name(StepKind kind);

}  // namespace notesdb
