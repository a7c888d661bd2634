// Bytes that nobody can guess, from the kernel.
#pragma once

#include <cstddef>
#include <string>

namespace notesdb::mcp {

std::string random_bytes(std::size_t count);

}  // namespace notesdb::mcp
