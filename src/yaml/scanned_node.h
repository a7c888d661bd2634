// Scanned node: a field of the plain scanner as the full reader would give it.
#pragma once

#include <cstdint>
#include <string_view>

#include "yaml/node.h"
#include "yaml/scanner.h"

namespace notesdb {

// `text` is what was scanned; lines of the node count from `first_line`.
Node to_node(const Scanner& scanner,
             const ScannedField& field,
             std::string_view text,
             std::uint32_t first_line);

}  // namespace notesdb
