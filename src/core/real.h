// Real: numbers with a fraction as text, the shortest that reads back as the same number.
#pragma once

#include <string>

namespace notesdb {

// 3, 0.1, 1e+30; what is no finite number as the C++ library spells it.
std::string shortest_text(double number);

// The same, to be told from an integer: 3.0. What is no finite number as YAML has it: .nan, .inf,
// -.inf.
std::string real_text(double number);

}  // namespace notesdb
