#include "mcp/json.h"

#include <algorithm>

#include "core/text.h"

namespace notesdb::mcp {
namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20;
}

}  // namespace

std::string to_quoted(const std::string& text) {
  if (std::any_of(text.begin(), text.end(), is_control) || !is_utf8(text)) return to_text(text);
  std::string quoted(2 * text.size() + 2, '"');
  std::size_t end = 1;
  for (const char c : text) {
    quoted[end] = '\\';
    end += c == '"' || c == '\\' ? 1 : 0;
    quoted[end++] = c;
  }
  quoted[end] = '"';
  quoted.resize(end + 1);
  return quoted;
}

}  // namespace notesdb::mcp
