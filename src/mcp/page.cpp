#include "mcp/page.h"

#include <charconv>
#include <optional>

#include "mcp/base64.h"

namespace notesdb::mcp {
namespace {

RpcError bad_cursor() {
  return {RpcCode::invalid_params, "Unknown cursor: begin without one"};
}

std::optional<std::size_t> position_of(const std::string& cursor) {
  const std::optional<std::string> text = from_base64(cursor);
  if (!text) return std::nullopt;
  std::size_t position = 0;
  const char* end = text->data() + text->size();
  const auto [stop, failed] = std::from_chars(text->data(), end, position);
  if (failed != std::errc{} || stop != end) return std::nullopt;
  return position;
}

}  // namespace

RpcResult<std::size_t> page_start(const Json& params, std::size_t count) {
  const Json* cursor = find(params, "cursor");
  if (cursor == nullptr || cursor->is_null()) return std::size_t{0};
  if (!cursor->is_string()) return bad_cursor();
  const std::string& text = cursor->get_ref<const std::string&>();
  if (text.empty()) return std::size_t{0};  // sloppy clients begin so
  const std::optional<std::size_t> position = position_of(text);
  const bool ours = position && *position > 0 && *position % page_size == 0;
  if (!ours) return bad_cursor();
  return std::min(*position, count);  // the list may have become shorter
}

std::string cursor_after(std::size_t start, std::size_t count) {
  const std::size_t next = start + page_size;
  return next < count ? to_base64(std::to_string(next)) : std::string();
}

}  // namespace notesdb::mcp
