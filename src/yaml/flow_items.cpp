#include "yaml/flow_items.h"

#include <algorithm>

#include "yaml/field_split.h"

namespace notesdb {

namespace {

constexpr auto npos = std::string_view::npos;

std::size_t end_of_flow_item(std::string_view text, std::size_t at) {
  while (at + 1 < text.size() && text[at] != ',') {
    bool enclosed = text[at] == '[' || text[at] == '{' || text[at] == '"' || text[at] == '\'';
    bool first = enclosed && std::string_view(" \n\r\t,[{:").find(text[at - 1]) != npos;
    auto end = first ? end_of_enclosed(text, at) : std::nullopt;
    at = end ? *end : at + 1;
  }
  return at;
}

}  // namespace

std::optional<FlowItems> cut_flow(std::string_view text) {
  FlowItems flow;
  if (text.find('#') != npos && text.find('\n') != npos) return std::nullopt;
  std::size_t end = 0;
  std::size_t at = text.find_first_not_of(" \t\r\n", 1);
  while (at + 1 < text.size()) {
    flow.before.push_back(text.substr(end, at - end));
    std::size_t comma = end_of_flow_item(text, at);
    end = text.find_last_not_of(" \t\r\n", comma - 1) + 1;
    flow.items.push_back(text.substr(at, end - at));
    at = std::min(text.find_first_not_of(" \t\r\n,", end), text.size() - 1);
  }
  flow.closing = text.substr(end);
  return flow;
}

}  // namespace notesdb
