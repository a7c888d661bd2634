// Keep: for readers that say all that is wrong at once.
//
//   keep(parse_filter(given, schema, clock), query.filter, errors);
//   keep(parse_order(given, schema), query.order, errors);
//   if (!errors.empty()) return join(errors);
#pragma once

#include <utility>
#include <vector>

#include "core/result.h"

namespace notesdb {

// Puts what was made into its place, or its error among the others; says whether it was made. An
// error of several, as join() makes it, is one complaint here too.
template <typename T>
bool keep(Result<T> result, T& place, std::vector<Error>& errors) {
  if (!result) {
    errors.push_back(result.error());
    return false;
  }
  place = *std::move(result);
  return true;
}

}  // namespace notesdb
