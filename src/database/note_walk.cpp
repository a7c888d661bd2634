#include "database/note_walk.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "files/names.h"

namespace notesdb {
namespace {

class Walk {
 public:
  Walk(const FileSystem& files, const std::function<void(const WalkedNote&)>& visit)
      : files_(files), visit_(visit) {}

  void enter(const std::string& folder, const DatabaseFolder* owner) const;

 private:
  void read_notes(const std::string& folder,
                  const DatabaseFolder* owner,
                  const std::vector<std::string>& names) const;

  const FileSystem& files_;
  const std::function<void(const WalkedNote&)>& visit_;
};

bool is_schema_file(const Entry& entry) {
  return entry.kind == FileKind::regular &&
         (entry.name == "_schema.md" || entry.name == "_schema.yaml");
}

std::string_view row_at(const DatabaseFolder* owner, std::string_view path) {
  if (owner == nullptr) return "";
  if (owner->id() != ".") path.remove_prefix(owner->id().size() + 1);
  return owner->names().role_of(path) == FileRole::row ? owner->names().id_of(path) : "";
}

void Walk::enter(const std::string& folder, const DatabaseFolder* owner) const {
  const auto entries = files_.list(folder);
  if (!entries) return;
  std::shared_ptr<const DatabaseFolder> own;
  if (std::any_of(entries->begin(), entries->end(), is_schema_file)) {
    if (auto read = DatabaseFolder::read(files_, folder)) own = std::move(*read);
  }
  if (own) owner = own.get();
  std::vector<std::string> names;
  for (const Entry& entry : *entries) {
    if (entry.kind == FileKind::folder) {
      if (!is_skipped_folder(entry.name)) enter(join_path(folder, entry.name), owner);
    } else if (entry.kind == FileKind::regular) {
      const bool is_note =
          entry.name.ends_with(".md") || !row_at(owner, join_path(folder, entry.name)).empty();
      if (is_note) names.push_back(entry.name);
    }
  }
  read_notes(folder, owner, names);
}

void Walk::read_notes(const std::string& folder,
                      const DatabaseFolder* owner,
                      const std::vector<std::string>& names) const {
  std::vector<const char*> bare;
  for (const std::string& name : names)
    bare.push_back(name.c_str());
  const auto done = files_.read_all(folder, bare, [&](const FileView& file) {
    if (file.state != ReadState::whole && file.state != ReadState::being_written) return;
    const std::string path = join_path(folder, names[file.index]);
    visit_({path, folder, owner, row_at(owner, path), file});
  });
  // A folder that has gone meanwhile has no notes.
  (void)done.ok();
}

}  // namespace

void walk_notes(const FileSystem& files, const std::function<void(const WalkedNote&)>& visit) {
  Walk(files, visit).enter(".", nullptr);
}

}  // namespace notesdb
