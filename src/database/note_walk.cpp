#include "database/note_walk.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/file_name.h"
#include "files/names.h"
#include "note/links.h"

namespace notesdb {
namespace {

class Walk {
 public:
  Walk(const FileSystem& files, const NoteWalker& walker) : files_(files), walker_(walker) {}

  void enter(const std::string& folder, std::shared_ptr<const DatabaseFolder> owner) const;
  void list_attachments(const std::string& folder) const;

 private:
  using Owner = std::shared_ptr<const DatabaseFolder>;
  void pass_known(const std::string& folder,
                  const Owner& owner,
                  std::vector<std::string>& names) const;
  void read_notes(const std::string& folder,
                  const Owner& owner,
                  const std::vector<std::string>& names) const;

  const FileSystem& files_;
  const NoteWalker& walker_;
};

std::vector<const char*> bare(const std::vector<std::string>& names) {
  std::vector<const char*> all;
  for (const std::string& name : names)
    all.push_back(name.c_str());
  return all;
}

bool is_schema_file(const Entry& entry) {
  return entry.kind == FileKind::regular && is_schema_name(entry.name);
}

void Walk::enter(const std::string& folder, std::shared_ptr<const DatabaseFolder> owner) const {
  if (walker_.enters) walker_.enters(folder);
  const auto entries = files_.list(folder);
  if (!entries) return;
  if (std::any_of(entries->begin(), entries->end(), is_schema_file)) {
    if (auto read = DatabaseFolder::read(files_, folder)) owner = std::move(*read);
  }
  if (walker_.entered) walker_.entered({folder, owner, *entries});
  std::vector<std::string> names;
  for (const Entry& entry : *entries) {
    if (entry.kind == FileKind::folder) {
      const std::string inner = join_path(folder, entry.name);
      if (is_too_deep(inner)) continue;
      if (!is_skipped_folder(entry.name)) {
        enter(inner, owner);
      } else if (walker_.with_attachments && entry.name == "assets") {
        list_attachments(inner);
      }
    } else if (entry.kind == FileKind::regular) {
      if (is_note(owner.get(), join_path(folder, entry.name))) names.push_back(entry.name);
    }
  }
  if (walker_.is_known) pass_known(folder, owner, names);
  read_notes(folder, owner, names);
}

void Walk::list_attachments(const std::string& folder) const {
  if (walker_.enters) walker_.enters(folder);
  const auto entries = files_.list(folder);
  if (!entries) return;
  if (walker_.entered) walker_.entered({folder, nullptr, *entries, false});
  for (const Entry& entry : *entries) {
    const std::string inner = join_path(folder, entry.name);
    const bool is_passed = entry.name.starts_with('.') || entry.name == "node_modules";
    if (entry.kind == FileKind::folder && !is_passed && !is_too_deep(inner))
      list_attachments(inner);
  }
}

// Visits the notes that need not be read, and takes them off the names.
void Walk::pass_known(const std::string& folder,
                      const Owner& owner,
                      std::vector<std::string>& names) const {
  std::vector<FileStat> stats(names.size());
  if (!files_.stat_all(folder, bare(names), stats)) return;
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string path = join_path(folder, names[i]);
    if (stats[i].kind != FileKind::regular || !walker_.is_known(path, stats[i].key)) {
      unknown.push_back(std::move(names[i]));
      continue;
    }
    FileView file;
    file.key = stats[i].key;
    walker_.visit({path, folder, owner, row_id_at(owner.get(), path), file, true});
  }
  names = std::move(unknown);
}

void Walk::read_notes(const std::string& folder,
                      const Owner& owner,
                      const std::vector<std::string>& names) const {
  const auto done = files_.read_all(folder, bare(names), [&](const FileView& file) {
    if (file.state != ReadState::whole && file.state != ReadState::being_written) return;
    const std::string path = join_path(folder, names[file.index]);
    walker_.visit({path, folder, owner, row_id_at(owner.get(), path), file});
  });
  // A folder that has gone meanwhile has no notes.
  (void)done.ok();
}

}  // namespace

bool is_note(const DatabaseFolder* owner, std::string_view path) {
  return is_markdown_file(path) || is_canvas(path) || is_schema_name(name_in(path)) ||
         !row_id_at(owner, path).empty();
}

RowIdText row_id_at(const DatabaseFolder* owner, std::string_view path) {
  const RowIdText none{std::string_view()};
  if (owner == nullptr) return none;
  if (owner->id() != ".") path.remove_prefix(owner->id().size() + 1);
  return owner->names().role_of(path) == FileRole::row ? owner->names().id_of(path) : none;
}

void walk_notes(const FileSystem& files, const NoteWalker& walker) {
  Walk(files, walker).enter(".", nullptr);
}

}  // namespace notesdb
