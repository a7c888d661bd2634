// Units: lengths of time and sizes as people write them: 30s, 500ms, 5min; 64MiB, 1GiB.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace notesdb {

// A whole number and ms, s, min or h, a space between them or none. Empty for anything else, for
// nothing at all (0s) and for more than a year.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
// In the largest unit that says it exactly: 1500 ms, 30 s, 5 min.
std::string duration_text(std::chrono::milliseconds time);

// A whole number and B, KiB, MiB or GiB. Empty for anything else, for 0 and for more than 1 PiB.
std::optional<std::uint64_t> parse_size(std::string_view text);
// In the largest unit that says it exactly: 1536 MiB, 1 GiB.
std::string size_text(std::uint64_t bytes);

}  // namespace notesdb
