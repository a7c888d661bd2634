// SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104).
#pragma once

#include <string>
#include <string_view>

namespace notesdb::mcp {

// 32 bytes.
std::string sha256(std::string_view bytes);
std::string hmac_sha256(std::string_view key, std::string_view bytes);

// Whether two texts are the same, in a time that depends on their lengths only.
bool same_in_constant_time(std::string_view a, std::string_view b);

// Bytes that nobody can guess, from the kernel.
std::string random_bytes(std::size_t count);

}  // namespace notesdb::mcp
