#include "infer/vault_settings.h"

#include <array>

#include "core/date_format.h"
#include "core/text.h"
#include "files/names.h"
#include "note/note.h"

namespace notesdb {

namespace {

struct PropertyType {
  std::string_view name;
  ColumnType type;
};
constexpr std::array property_types{PropertyType{"text", ColumnType::text},
                                    PropertyType{"number", ColumnType::number},
                                    PropertyType{"checkbox", ColumnType::checkbox},
                                    PropertyType{"date", ColumnType::date},
                                    PropertyType{"datetime", ColumnType::datetime},
                                    PropertyType{"multitext", ColumnType::list},
                                    PropertyType{"tags", ColumnType::list},
                                    PropertyType{"aliases", ColumnType::list}};

// A JSON object is a note that is nothing but front matter.
std::optional<Note> read_object(const FileSystem& files, const std::string& path) {
  constexpr std::uint64_t max_size = 1U << 20U;
  auto file = files.read(path, max_size);
  if (!file) return std::nullopt;
  auto note = Note::parse(std::move(file->bytes), NoteFormat::markdown);
  if (!note) return std::nullopt;
  return *std::move(note);
}

std::string text_of(const std::optional<Note>& note, std::string_view key) {
  const Node* node = note ? note->find(key) : nullptr;
  return node != nullptr && node->is_scalar() && !node->is_null() ? node->text : "";
}

class VaultReader {
 public:
  VaultReader(const FileSystem& files, std::string root) : files_(files) {
    settings_.root = std::move(root);
  }

  VaultSettings run() {
    read_types();
    read_app();
    read_daily_notes();
    add_apart(text_of(object("templates.json"), "folder"), "templates.json");
    return std::move(settings_);
  }

 private:
  std::optional<Note> object(std::string_view name) const {
    return read_object(files_, join_path(settings_.root, ".obsidian/" + std::string(name)));
  }

  // A path of the vault from the workspace root; empty for none, and for the vault itself.
  std::string path_of(std::string_view path) const {
    while (path.starts_with("./"))
      path.remove_prefix(2);
    while (path.starts_with('/'))
      path.remove_prefix(1);
    while (path.ends_with('/'))
      path.remove_suffix(1);
    if (path.empty() || path == "." || !check_path(path)) return "";
    return join_path(settings_.root, path);
  }

  void add_apart(std::string_view path, std::string why) {
    std::string full = path_of(path);
    if (!full.empty()) settings_.apart.push_back({std::move(full), std::move(why)});
  }

  void read_types() {
    const auto note = object("types.json");
    const Node* types = note ? note->find("types") : nullptr;
    if (types == nullptr) return;
    for (const NodeMember& member : types->members)
      for (const PropertyType& known : property_types)
        if (member.value.text == known.name) settings_.types[member.key] = known.type;
  }

  void read_app() {
    const auto note = object("app.json");
    const std::string attachments = text_of(note, "attachmentFolderPath");
    // "./files" is beside each note, and "/" the vault itself.
    if (!attachments.starts_with("./")) add_apart(attachments, "attachments, app.json");
    const Node* ignored = note ? note->find("userIgnoreFilters") : nullptr;
    if (ignored == nullptr) return;
    // A filter between slashes is a regular expression.
    for (const Node& filter : ignored->items)
      if (!filter.text.starts_with('/')) add_apart(filter.text, "ignored, app.json");
  }

  void read_daily_notes() {
    const auto note = object("daily-notes.json");
    if (!note) return;
    std::string format = text_of(note, "format");
    if (format.empty()) format = "YYYY-MM-DD";
    const std::string folder = path_of(text_of(note, "folder"));
    if (!problem_of_date_format(format))
      settings_.daily = {folder.empty() ? settings_.root : folder, std::move(format)};
    if (std::string path = text_of(note, "template"); !path.empty())
      add_apart(path.ends_with(".md") ? path : path + ".md", "template, daily-notes.json");
  }

  const FileSystem& files_;
  VaultSettings settings_;
};

}  // namespace

std::optional<VaultSettings> find_vault_settings(const FileSystem& files, std::string_view folder) {
  for (;; folder = folder_of(folder)) {
    const auto marker = files.stat(join_path(folder, ".obsidian"));
    if (marker && marker->kind == FileKind::folder)
      return VaultReader(files, std::string(folder)).run();
    if (folder == ".") return std::nullopt;
  }
}

}  // namespace notesdb
