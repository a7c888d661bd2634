#include "infer/infer_files.h"

#include <algorithm>

#include "files/names.h"
#include "index/database_folder.h"
#include "index/paths.h"
#include "infer/infer.h"

namespace notesdb {
namespace {

// What lies in a folder and below, by the way it could be a row.
struct Counts {
  std::size_t here_md = 0;
  std::size_t here_yaml = 0;
  std::size_t below_md = 0;
  std::size_t below_yaml = 0;
  std::size_t folders = 0;  // with an index.md or _index.md
};

bool is_index(std::string_view name) {
  return name == "index.md" || name == "_index.md";
}

bool is_yaml(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

bool is_note_name(std::string_view name) {
  return !name.starts_with('_') && !name.starts_with('.') && name != "README.md" &&
         !is_index(name) && (name.ends_with(".md") || is_yaml(name));
}

Result<void> count_below(const FileSystem& files,
                         const std::string& folder,
                         int depth,
                         Counts& counts) {
  const auto entries = files.list(folder);
  if (!entries) return entries.error();
  if (depth > 0 && DatabaseFolder::find_schema_file(files, folder)) return {};
  for (const Entry& entry : *entries) {
    if (entry.kind == FileKind::folder) {
      const std::string inner = join_path(folder, entry.name);
      if (is_skipped_folder(entry.name) || entry.name.starts_with('_') || is_too_deep(inner))
        continue;
      if (auto done = count_below(files, inner, depth + 1, counts); !done) return done;
    } else if (entry.kind == FileKind::regular) {
      if (depth > 0 && is_index(entry.name)) ++counts.folders;
      if (!is_note_name(entry.name)) continue;
      if (is_yaml(entry.name))
        ++(depth == 0 ? counts.here_yaml : counts.below_yaml);
      else
        ++(depth == 0 ? counts.here_md : counts.below_md);
    }
  }
  return {};
}

// One ending where nine of ten files have it: a lone settings.yaml is not a row.
RowFiles rows_for(const Counts& counts) {
  RowFiles rows;
  const std::size_t md = counts.here_md + counts.below_md;
  const std::size_t yaml = counts.here_yaml + counts.below_yaml;
  if (counts.folders > 2 && counts.folders > md + yaml) {
    rows.layout = RowLayout::folder;
    return rows;
  }
  const bool is_deep = counts.below_md + counts.below_yaml > 0;
  const bool wants_md = md > 0 && md * 9 > yaml;
  const bool wants_yaml = yaml > 0 && (!wants_md || yaml * 9 > md);
  const std::string prefix = is_deep ? "**/" : "";
  if (!is_deep && (md == 0 || wants_yaml || yaml == 0)) return rows;
  if (wants_md) rows.include.push_back(prefix + "*.md");
  if (wants_yaml) {
    rows.include.push_back(prefix + "*.yaml");
    rows.include.push_back(prefix + "*.yml");
  }
  return rows;
}

Result<void> take_rows(const FileSystem& files,
                       const std::string& folder,
                       const std::string& below,
                       const RowNames& names,
                       std::vector<std::string>& paths) {
  const std::string full = below.empty() ? folder : join_path(folder, below);
  const auto entries = files.list(full);
  if (!entries) return entries.error();
  if (!below.empty() && DatabaseFolder::find_schema_file(files, full)) return {};
  for (const Entry& entry : *entries) {
    const std::string path = below.empty() ? entry.name : below + "/" + entry.name;
    if (entry.kind == FileKind::folder && names.enters(path) &&
        !is_too_deep(join_path(folder, path))) {
      if (auto done = take_rows(files, folder, path, names, paths); !done) return done;
    } else if (entry.kind == FileKind::regular && names.role_of(path) == FileRole::row) {
      paths.push_back(path);
    }
  }
  return {};
}

// Whether a note begins with front matter; a file that cannot be read has none.
bool has_fields(const FileSystem& files, const std::string& path) {
  const auto bytes = files.read(path);
  return bytes && (bytes->bytes.starts_with("---") || bytes->bytes.starts_with("\xEF\xBB\xBF---"));
}

// Three notes with fields are a kind; more need not be read.
bool is_natural(const FileSystem& files,
                const std::string& folder,
                const std::vector<Entry>& entries) {
  constexpr std::size_t enough = 3;
  std::size_t notes = 0;
  for (const Entry& entry : entries) {
    if (notes == enough) return true;
    const std::string path = join_path(folder, entry.name);
    if (entry.kind == FileKind::regular && is_note_name(entry.name) && !is_yaml(entry.name))
      notes += has_fields(files, path) ? 1 : 0;
    else if (entry.kind == FileKind::folder && !is_skipped_folder(entry.name))
      notes += has_fields(files, join_path(path, "index.md")) ||
                       has_fields(files, join_path(path, "_index.md"))
                   ? 1
                   : 0;
  }
  return notes >= enough;
}

bool is_all_yaml(const std::vector<Entry>& entries) {
  const auto count = std::ranges::count_if(entries, [](const Entry& entry) {
    return entry.kind == FileKind::regular && is_note_name(entry.name) && is_yaml(entry.name);
  });
  return count >= 3 && static_cast<std::size_t>(count) * 10 >= entries.size() * 9;
}

Result<void> search(const FileSystem& files,
                    const std::string& folder,
                    std::vector<std::string>& found) {
  const auto entries = files.list(folder);
  if (!entries) return entries.error();
  if (DatabaseFolder::find_schema_file(files, folder)) return {};
  if (is_natural(files, folder, *entries) || is_all_yaml(*entries)) {
    found.push_back(folder);
    return {};
  }
  for (const Entry& entry : *entries) {
    const std::string inner = join_path(folder, entry.name);
    if (entry.kind != FileKind::folder || is_skipped_folder(entry.name) || is_too_deep(inner))
      continue;
    if (auto done = search(files, inner, found); !done) return done;
  }
  return {};
}

}  // namespace

Result<FoundNotes> find_notes(const FileSystem& files, const std::string& folder) {
  Counts counts;
  if (auto done = count_below(files, folder, 0, counts); !done) return done.error();
  FoundNotes found{{}, rows_for(counts)};
  const auto names = RowNames::of(found.rows);
  if (!names) return names.error();
  if (auto done = take_rows(files, folder, "", *names, found.paths); !done) return done.error();
  std::ranges::sort(found.paths);
  return found;
}

Result<std::vector<std::string>> natural_databases(const FileSystem& files,
                                                   const std::string& root) {
  std::vector<std::string> found;
  if (auto done = search(files, root, found); !done) return done.error();
  std::ranges::sort(found);
  return found;
}

}  // namespace notesdb
