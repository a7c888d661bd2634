// Flow items: a list or a map between brackets in pieces.
//
// The items stand without spaces around them; what stands before each (the bracket, commas,
// spaces) and after the last is kept beside them, so that an edit may put all of it back.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace notesdb {

struct FlowItems {
  std::vector<std::string_view> items;   // of a map: key, colon and value
  std::vector<std::string_view> before;  // of each item
  std::string_view closing;
  std::string_view separator() const { return before.size() > 1 ? before[1] : ", "; }
};

// Empty where comments stand between the brackets.
std::optional<FlowItems> cut_flow(std::string_view text);

}  // namespace notesdb
