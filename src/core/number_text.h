// Number text: numbers as people write them: with a fraction as the shortest text that reads back as
// the same number, lengths of time and sizes with a unit (30s, 5min; 64MiB, 1GiB).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace notesdb {

// 3, 0.1, 1e+30; what is no finite number as the C++ library spells it.
std::string shortest_text(double number);

// The same, to be told from an integer: 3.0. What is no finite number as YAML has it: .nan, .inf,
// -.inf.
std::string real_text(double number);

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
