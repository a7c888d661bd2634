// Base64 as RFC 4648 section 4 spells it: padded, nothing but its alphabet.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace notesdb::mcp {

std::string to_base64(std::string_view bytes);
// Empty if the text is not base64 exactly: wrong alphabet, padding or trailing bits.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace notesdb::mcp
