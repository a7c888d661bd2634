// Undecoded: arguments as they came, for what must be known of a call before it is judged.
#pragma once

#include <string_view>

#include "core/value.h"

namespace notesdb {

// Whether the call only wants to see what would happen.
bool is_dry_run(const Value& arguments);

// The list of this name, though it came as JSON text or as its only element; what cannot be a list
// is an empty one.
List list_of(const Value& arguments, std::string_view name);

}  // namespace notesdb
