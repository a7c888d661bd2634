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
  struct Named {
    const std::string* name;
    bool is_row;
  };
  using Notes = std::vector<Named>;
  static std::vector<const char*> bare(const Notes& notes);
  void visit(const std::string& folder,
             const Owner& owner,
             const Named& note,
             const FileView& file,
             bool is_known) const;
  void pass_known(const std::string& folder, const Owner& owner, Notes& notes) const;
  void read_notes(const std::string& folder, const Owner& owner, const Notes& notes) const;

  const FileSystem& files_;
  const NoteWalker& walker_;
};

// A row's path below its database.
std::string_view path_in(const DatabaseFolder& owner, std::string_view path) {
  if (owner.id() != ".") path.remove_prefix(owner.id().size() + 1);
  return path;
}

bool is_row_at(const DatabaseFolder* owner, std::string_view path) {
  return owner != nullptr && owner->names().role_of(path_in(*owner, path)) == FileRole::row;
}

bool is_note_by_name(std::string_view path) {
  return is_markdown_file(path) || is_canvas(path) || is_schema_name(name_in(path));
}

bool is_schema_file(const Entry& entry) {
  return entry.kind == FileKind::regular && is_schema_name(entry.name);
}

void Walk::enter(const std::string& folder, std::shared_ptr<const DatabaseFolder> owner) const {
  if (walker_.enters) walker_.enters(folder);
  auto entries = files_.list(folder);
  if (!entries) return;
  // What is learnt of the files lies in the order in which it is asked for again.
  std::ranges::sort(*entries, {}, &Entry::name);
  if (std::any_of(entries->begin(), entries->end(), is_schema_file)) {
    if (auto read = DatabaseFolder::read(files_, folder)) owner = std::move(*read);
  }
  std::vector<bool> rows(entries->size());
  if (owner) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = (*entries)[i].kind == FileKind::regular &&
                is_row_at(owner.get(), join_path(folder, (*entries)[i].name));
  }
  if (walker_.entered) walker_.entered({folder, owner, *entries, rows});
  Notes notes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Entry& entry = (*entries)[i];
    if (entry.kind == FileKind::folder) {
      const std::string inner = join_path(folder, entry.name);
      if (is_too_deep(inner)) continue;
      if (!is_skipped_folder(entry.name)) {
        enter(inner, owner);
      } else if (walker_.with_attachments && entry.name == "assets") {
        list_attachments(inner);
      }
    } else if (entry.kind == FileKind::regular) {
      if (rows[i] || is_note_by_name(join_path(folder, entry.name)))
        notes.push_back({&entry.name, rows[i]});
    }
  }
  if (walker_.is_known) pass_known(folder, owner, notes);
  read_notes(folder, owner, notes);
}

std::vector<const char*> Walk::bare(const Notes& notes) {
  std::vector<const char*> all;
  all.reserve(notes.size());
  for (const Named& note : notes)
    all.push_back(note.name->c_str());
  return all;
}

void Walk::visit(const std::string& folder,
                 const Owner& owner,
                 const Named& note,
                 const FileView& file,
                 bool is_known) const {
  const std::string path = join_path(folder, *note.name);
  const RowIdText row_id = note.is_row ? id_of_row_at(*owner, path) : RowIdText(std::string_view());
  walker_.visit({path, folder, owner, row_id, file, is_known});
}

void Walk::list_attachments(const std::string& folder) const {
  if (walker_.enters) walker_.enters(folder);
  const auto entries = files_.list(folder);
  if (!entries) return;
  if (walker_.entered)
    walker_.entered({folder, nullptr, *entries, std::vector<bool>(entries->size()), false});
  for (const Entry& entry : *entries) {
    const std::string inner = join_path(folder, entry.name);
    const bool is_passed = entry.name.starts_with('.') || entry.name == "node_modules";
    if (entry.kind == FileKind::folder && !is_passed && !is_too_deep(inner))
      list_attachments(inner);
  }
}

// Visits the notes that need not be read, and takes them off the others.
void Walk::pass_known(const std::string& folder, const Owner& owner, Notes& notes) const {
  std::vector<FileStat> stats(notes.size());
  if (!files_.stat_all(folder, bare(notes), stats)) return;
  Notes unknown;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const bool is_known = stats[i].kind == FileKind::regular &&
                          walker_.is_known(join_path(folder, *notes[i].name), stats[i].key);
    if (!is_known) {
      unknown.push_back(notes[i]);
      continue;
    }
    FileView file;
    file.key = stats[i].key;
    visit(folder, owner, notes[i], file, true);
  }
  notes = std::move(unknown);
}

void Walk::read_notes(const std::string& folder, const Owner& owner, const Notes& notes) const {
  const auto done = files_.read_all(folder, bare(notes), [&](const FileView& file) {
    if (file.state != ReadState::whole && file.state != ReadState::being_written) return;
    visit(folder, owner, notes[file.index], file, false);
  });
  // A folder that has gone meanwhile has no notes.
  (void)done.ok();
}

}  // namespace

bool is_note(const DatabaseFolder* owner, std::string_view path) {
  return is_note_by_name(path) || is_row_at(owner, path);
}

RowIdText row_id_at(const DatabaseFolder* owner, std::string_view path) {
  return is_row_at(owner, path) ? id_of_row_at(*owner, path) : RowIdText(std::string_view());
}

RowIdText id_of_row_at(const DatabaseFolder& owner, std::string_view path) {
  return owner.names().id_of(path_in(owner, path));
}

void walk_notes(const FileSystem& files, const NoteWalker& walker) {
  Walk(files, walker).enter(".", nullptr);
}

}  // namespace notesdb
