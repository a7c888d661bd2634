// Argument: what structured arguments have in common: blank text and null mean absent, and a
// single thing stands for a list of one.
#pragma once

#include <span>
#include <string_view>

#include "core/value.h"

namespace notesdb {

bool is_absent(const Value& argument);

// The elements of a list, the one thing that stands for it, or nothing.
std::span<const Value> elements_of(const Value& argument);

}  // namespace notesdb
