#include "mcp/no_memory_answer.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

namespace notesdb::mcp {
namespace {

constexpr std::string_view before_id = R"({"jsonrpc":"2.0","id":)";
constexpr std::string_view behind_id =
    R"(,"error":{"code":-32603,"message":"There is not enough memory; a change may have been made"}})";

}  // namespace

NoMemoryAnswer::NoMemoryAnswer(const Json& id) {
  add(before_id);
  const std::size_t begin = size_;
  if (!add_id(id)) {
    size_ = begin;
    add("null");
  }
  add(behind_id);
}

// Leaves room for what stands behind an id.
bool NoMemoryAnswer::add(std::string_view text) {
  const std::size_t kept = text == behind_id ? 0 : behind_id.size();
  if (text.size() > text_.size() - kept - size_) return false;
  std::ranges::copy(text, text_.begin() + static_cast<std::ptrdiff_t>(size_));
  size_ += text.size();
  return true;
}

bool NoMemoryAnswer::add_id(const Json& id) {
  if (const auto* text = id.get_ptr<const std::string*>()) return add_quoted(*text);
  std::array<char, 24> digits{};
  char* const first = digits.data();
  char* const last = first + digits.size();
  std::to_chars_result written{first, std::errc()};
  if (const auto* positive = id.get_ptr<const std::uint64_t*>()) {
    written = std::to_chars(first, last, *positive);
  } else if (const auto* number = id.get_ptr<const std::int64_t*>()) {
    written = std::to_chars(first, last, *number);
  } else {
    return false;
  }
  return add({first, static_cast<std::size_t>(written.ptr - first)});
}

bool NoMemoryAnswer::add_quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  bool fits = add("\"");
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const std::array<char, 6> escaped{'\\', 'u', '0', '0', digits[byte >> 4U], digits[byte & 15U]};
    const bool is_plain = byte >= 0x20 && c != '"' && c != '\\';
    fits = fits && add(is_plain ? std::string_view(&c, 1)
                                : std::string_view(escaped.data(), escaped.size()));
  }
  return fits && add("\"");
}

}  // namespace notesdb::mcp
