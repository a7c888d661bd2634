// sort_naturally: paths in natural order of their row ids, for many of them at once.
//
// The order is compare_natural's (core/text.h). Each id is turned once into a key whose plain byte
// order is the natural one, and what all keys begin with is skipped, so that most comparisons look
// at one machine word.
#pragma once

#include <string>
#include <vector>

#include "index/paths.h"

namespace notesdb {

void sort_naturally(const RowNames& names, std::vector<std::string>& paths);

}  // namespace notesdb
