// Revision: a dated version of the protocol, such as "2025-11-25", and what it knows.
//
// The revisions up to 2025-11-25 (legacy) agree on one by a handshake. From 2026-07-28 on (modern)
// every request names its own. Dates compare as texts.
#pragma once

#include <array>
#include <string_view>

namespace notesdb::mcp {

enum class Era { legacy, modern };

inline constexpr std::string_view modern_revision = "2026-07-28";
inline constexpr std::string_view newest_legacy_revision = "2025-11-25";
inline constexpr std::array<std::string_view, 4> legacy_revisions = {
    "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};

// What a request over HTTP speaks that names no revision and belongs to no session.
inline constexpr std::string_view assumed_http_revision = "2025-03-26";

constexpr bool is_legacy(std::string_view revision) {
  for (const std::string_view known : legacy_revisions) {
    if (known == revision) return true;
  }
  return false;
}

constexpr bool has_batches(std::string_view revision) {
  return revision == "2025-03-26";
}
constexpr bool has_annotations(std::string_view revision) {
  return revision >= "2025-03-26";
}
constexpr bool has_audio(std::string_view revision) {
  return revision >= "2025-03-26";
}
// Structured results, their schemas, titles, resource links, questions to the user.
constexpr bool has_structure(std::string_view revision) {
  return revision >= "2025-06-18";
}
constexpr bool has_icons(std::string_view revision) {
  return revision >= "2025-11-25";
}

}  // namespace notesdb::mcp
