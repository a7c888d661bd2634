#include "mcp/json.h"

#include "core/text.h"

namespace notesdb::mcp {
namespace {

// Looks at all of it, which a processor does for many bytes at once.
bool has_control(const std::string& text) {
  bool found = false;
  for (const char c : text)
    found |= static_cast<unsigned char>(c) < 0x20;
  return found;
}

}  // namespace

std::string to_quoted(const std::string& text) {
  if (has_control(text) || !is_utf8(text)) return to_text(text);
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
