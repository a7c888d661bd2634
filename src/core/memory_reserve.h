// Memory reserve: memory put by for the moment when there is no more.
//
// What failed for want of memory has to be taken down and told, and both want some: even a JSON
// value is freed by way of a list. The first request that is refused gives the reserve back to the
// allocator and is tried again; what is refused after that throws std::bad_alloc as ever.
#pragma once

namespace notesdb {

// Puts the reserve by if there is none, which costs nothing if there is: at the start, and before
// each request that a server answers. Where there is not enough memory for it there is none.
void keep_memory_reserve();

}  // namespace notesdb
