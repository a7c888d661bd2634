// Summary: one value for all values of a column: the 15 that every base has, and a base's own.
//
//   Average Min Max Sum Range Median Stddev        of numbers; Range of dates too
//   Earliest Latest                                of dates
//   Checked Unchecked Empty Filled Unique          how many
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expression/evaluation.h"
#include "expression/value.h"

namespace notesdb::bases {

std::vector<std::string> summary_names();
// Empty for a name that is none of them. Missing values are null.
std::optional<expression::Value> summarized(std::string_view name,
                                            const std::vector<expression::Value>& values,
                                            expression::Evaluation& evaluation);

}  // namespace notesdb::bases
