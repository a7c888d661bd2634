// Value merge: two changes of one value made one, when both sides' intents fit together.
//
//   base          ours             theirs           merged
//   open          done             open             done            changed on one side
//   [a, b]        [a, b, c]        [b]              [b, c]          lists: additions, removals
//   {x: 1}        {x: 1, y: 2}     {x: 3}           {x: 3, y: 2}    maps: key by key
//   [{id: a}]     [{id: a, n: 1}]  [{id: b}] ...                    lists of maps with ids: by id
//   open          done             blocked          a conflict
//
// An empty optional is a value that is not there. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "core/value.h"

namespace notesdb {

// How two changes of one value become one. `by_shape` is the default: lists and maps by their
// parts, everything else is a conflict.
enum class MergeRule { by_shape, set_union, greatest, least, ours, theirs, conflict };

std::string_view name_of(MergeRule rule);
// The word of a schema (union, max, min, ours, theirs, conflict); empty for any other.
std::optional<MergeRule> parse_merge_rule(std::string_view name);

struct ThreeValues {
  std::optional<Value> base;
  std::optional<Value> ours;
  std::optional<Value> theirs;
};

struct MergedValue {
  bool clean = false;
  std::optional<Value> value;  // only where clean; empty: removed
};

MergedValue merge_values(MergeRule rule, const ThreeValues& values);

}  // namespace notesdb
