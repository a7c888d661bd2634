// Confinement: what the kernel could keep this process from, should somebody take it over.
#pragma once

namespace notesdb {

// Which version of Landlock the kernel offers; 0 where there is none.
int landlock_version();

}  // namespace notesdb
