// Page: a part of a list and the cursor to the next one. A cursor is opaque to clients; ours is the
// base64 of where it continues.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "mcp/rpc.h"

namespace notesdb::mcp {

inline constexpr std::size_t page_size = 100;

// Where the page begins that a request's cursor asks for; invalid_params for a cursor not of ours.
RpcResult<std::size_t> page_start(const Json& params, std::size_t count);
// Empty if the list ends with the page that begins at `start`.
std::string cursor_after(std::size_t start, std::size_t count);

// One page of `list` as `key`, each element shown by `show`.
template <typename T, typename Show>
RpcResult<ResultMembers> page_of(const std::vector<T>& list,
                                 const Json& params,
                                 const char* key,
                                 Show show) {
  const RpcResult<std::size_t> start = page_start(params, list.size());
  if (!start) return start.error();
  Json shown = Json::array();
  const std::size_t end = std::min(list.size(), *start + page_size);
  for (std::size_t i = *start; i < end; ++i)
    shown.push_back(show(list[i]));
  ResultMembers result;
  result.members[key] = std::move(shown);
  if (std::string next = cursor_after(*start, list.size()); !next.empty()) {
    result.members["nextCursor"] = std::move(next);
  }
  return result;
}

}  // namespace notesdb::mcp
