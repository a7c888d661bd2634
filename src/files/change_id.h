// The id of a change: when it was made, in microseconds, and a little chance, in Crockford's base
// 32, small letters: 15 characters that sort by time. "08kgp2vj0fxw1q7" was made in 2026.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace notesdb {

// Microseconds since 1970 by this machine's clock.
std::int64_t now_us();

// A new id, later than every one this process made before.
std::string new_change_id();

// When the change was made; empty if the text is no such id.
std::optional<std::int64_t> time_of_change(std::string_view id);

// `length` letters and digits by chance, for names that must not meet.
std::string random_letters(int length);

}  // namespace notesdb
