#include "database/link_rules.h"

#include <algorithm>

#include "files/names.h"
#include "note/note.h"

namespace notesdb {
namespace {

bool has(const std::vector<Entry>& entries, std::string_view name, FileKind kind) {
  return std::ranges::any_of(
      entries, [&](const Entry& entry) { return entry.kind == kind && entry.name == name; });
}

bool holds(const FileSystem& files, const std::string& path, std::string_view text) {
  constexpr std::uint64_t max_size = 1U << 20U;
  const auto file = files.read(path, max_size);
  return file && file->bytes.find(text) != std::string::npos;
}

// What a marker's name alone does not tell.
bool is_confirmed(const FileSystem& files, const std::string& folder, const Entry& entry) {
  if (entry.name == "logseq") {
    const auto config = files.stat(join_path(folder, "logseq/config.edn"));
    return config && config->kind == FileKind::regular;
  }
  const bool is_folder = entry.name.starts_with('.');
  return entry.kind == (is_folder ? FileKind::folder : FileKind::regular);
}

struct Marker {
  LinkFlavour flavour;
  std::string name;
};

std::optional<Marker> find_marker(const FileSystem& files,
                                  const std::string& folder,
                                  const std::vector<Entry>& entries) {
  std::optional<Marker> found;
  for (const Entry& entry : entries) {
    const auto flavour = flavour_of_marker(entry.name);
    // Of several the one that comes first in the list of flavours.
    if (!flavour || (found && found->flavour <= *flavour)) continue;
    if (is_confirmed(files, folder, entry)) found = Marker{*flavour, entry.name};
  }
  if (found || !has(entries, "content", FileKind::folder)) return found;
  for (const std::string_view name : {"config.toml", "config.yaml", "config.yml", "config.json"}) {
    if (!has(entries, name, FileKind::regular)) continue;
    const std::string path = join_path(folder, name);
    const bool is_zola = name == "config.toml" && holds(files, path, "base_url");
    return Marker{is_zola ? LinkFlavour::zola : LinkFlavour::hugo, std::string(name)};
  }
  return found;
}

// What the owner of an Obsidian vault chose; only what differs from the default stands there.
LinkFormat format_of_vault(const FileSystem& files, const std::string& folder) {
  const auto file = files.read(join_path(folder, ".obsidian/app.json"));
  if (!file) return LinkFormat::automatic;
  const auto settings = Note::parse(file->bytes, NoteFormat::markdown);
  const Node* format = settings ? settings->find("newLinkFormat") : nullptr;
  if (format == nullptr || !format->is_scalar() || format->text == "shortest")
    return LinkFormat::automatic;
  return parse_link_format(format->text).value_or(LinkFormat::automatic);
}

void collect(const FileSystem& files,
             const std::string& folder,
             const LinkSettings& settings,
             std::vector<std::pair<std::string, LinkRules>>& found) {
  const auto entries = files.list(folder);
  if (!entries) return;
  if (auto rules = find_link_rules(files, folder, *entries, settings))
    found.emplace_back(folder, *std::move(rules));
  for (const Entry& entry : *entries) {
    const std::string inner = join_path(folder, entry.name);
    if (entry.kind == FileKind::folder && !is_skipped_folder(entry.name) && !is_too_deep(inner))
      collect(files, inner, settings, found);
  }
}

}  // namespace

std::vector<std::pair<std::string, LinkRules>> find_all_link_rules(const FileSystem& files,
                                                                   const LinkSettings& settings) {
  std::vector<std::pair<std::string, LinkRules>> found;
  collect(files, ".", settings, found);
  return found;
}

std::optional<LinkRules> find_link_rules(const FileSystem& files,
                                         const std::string& folder,
                                         const std::vector<Entry>& entries,
                                         const LinkSettings& settings) {
  LinkRules rules;
  rules.root = settings.root.empty() ? folder : settings.root;
  if (settings.flavour || !settings.root.empty()) {
    if (folder != ".") return std::nullopt;
    rules.flavour = settings.flavour.value_or(LinkFlavour::plain);
    rules.why = "notesdb.yaml";
  }
  if (!settings.flavour) {
    const auto marker = find_marker(files, folder, entries);
    if (!marker && rules.why.empty()) return std::nullopt;
    if (marker) {
      rules.flavour = marker->flavour;
      rules.why = marker->name;
    }
  }
  if (rules.flavour == LinkFlavour::obsidian) rules.format = format_of_vault(files, folder);
  if (settings.format) rules.format = *settings.format;
  return rules;
}

}  // namespace notesdb
