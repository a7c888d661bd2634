// Link rules: which tool's rules the links of a folder follow, by the marker that the tool left
// there (.obsidian, mkdocs.yml) or by the setting `links`.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files/file_system.h"
#include "note/link_names.h"

namespace notesdb {

// The setting: what it does not say is told by markers.
struct LinkSettings {
  std::optional<LinkFlavour> flavour{};
  std::string root{};
  std::optional<LinkFormat> format{};
};

// The rules that begin in a folder of these entries; none where it has no marker.
std::optional<LinkRules> find_link_rules(const FileSystem& files,
                                         const std::string& folder,
                                         const std::vector<Entry>& entries,
                                         const LinkSettings& settings);

// All rules of a workspace by the folder that they begin in, which is that of the marker.
std::vector<std::pair<std::string, LinkRules>> find_all_link_rules(const FileSystem& files,
                                                                   const LinkSettings& settings);

}  // namespace notesdb
