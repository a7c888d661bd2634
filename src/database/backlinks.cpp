#include "database/backlinks.h"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <utility>

#include "core/text.h"
#include "database/link_memory.h"
#include "database/note_walk.h"
#include "database/workspace.h"
#include "files/names.h"
#include "note/body_links.h"
#include "note/front_matter.h"
#include "note/relink.h"

namespace notesdb {
namespace {

// The row that is pointed to, as links may write it.
struct Target {
  std::string database;
  std::string id;
  std::string path;  // of its file, from the workspace root
  std::string stem;  // the same without .md
  std::string name;  // the last name of the id, which every link to it holds
};

std::string_view without_md(std::string_view path) {
  if (path.ends_with(".md")) path.remove_suffix(3);
  return path;
}

// A name may stand percent-encoded in a link, but then it has a character that asks for it.
bool may_hold(std::string_view bytes, const Target& target) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  };
  if (bytes.find(target.name) != std::string_view::npos) return true;
  return !std::all_of(target.name.begin(), target.name.end(), plain) &&
         bytes.find('%') != std::string_view::npos;
}

class Search {
 public:
  Search(const FileSystem& files, const Target& target) : files_(files), target_(target) {}

  void take(const WalkedNote& note);
  void take(const LinkMemory::StoredNote& note);
  std::vector<Backlink> found() { return std::move(found_); }

 private:
  bool points_here(std::string_view name,
                   LinkForm form,
                   std::string_view folder,
                   const DatabaseFolder* owner) const;
  void add(std::string_view path, std::string_view row_id, const DatabaseFolder* owner);

  const FileSystem& files_;
  const Target& target_;
  std::mutex mutex_;
  std::vector<Backlink> found_;
};

void Search::take(const WalkedNote& note) {
  if (note.path == target_.path || !may_hold(note.file.bytes, target_)) return;
  const auto front = split_front_matter(note.file.bytes, note_format_of(note.path));
  if (!front) return;
  bool points = false;
  for_each_link(note.file.bytes.substr(front->body_begin), [&](const BodyLink& link) {
    points = points || points_here(link.link.target, link.form, note.folder, note.owner.get());
  });
  if (points) add(note.path, note.row_id, note.owner.get());
}

void Search::take(const LinkMemory::StoredNote& note) {
  if (note.path == target_.path) return;
  const bool points = std::any_of(note.links.begin(), note.links.end(), [&](const auto& link) {
    return link.target.find(target_.name) != std::string::npos &&
           points_here(link.target, link.form, note.folder, note.owner.get());
  });
  if (points) add(note.path, note.row_id, note.owner.get());
}

void Search::add(std::string_view path, std::string_view row_id, const DatabaseFolder* owner) {
  Backlink link{"", std::string(row_id), "_body", to_utf8(path)};
  if (!row_id.empty()) link.database_id = owner->id();
  const std::lock_guard guard(mutex_);
  found_.push_back(std::move(link));
}

bool Search::points_here(std::string_view name,
                         LinkForm form,
                         std::string_view folder,
                         const DatabaseFolder* owner) const {
  const std::string row = join_path(target_.database, target_.id);
  if (form == LinkForm::markdown) {
    const std::string path = resolve_path(folder, name);
    return path == target_.stem || path == row;
  }
  if (name == target_.stem || name == row) return true;
  if (name != target_.id) return false;
  if (owner == nullptr || owner->id() == target_.database) return true;
  const auto own = owner->find_row(files_, target_.id);
  return !own || !own->has_value();
}

void sort_links(std::vector<Backlink>& links) {
  std::sort(links.begin(), links.end(), [](const Backlink& a, const Backlink& b) {
    if (a.database_id.empty() != b.database_id.empty()) return b.database_id.empty();
    if (const int order = compare_natural(a.database_id, b.database_id); order != 0) {
      return order < 0;
    }
    if (const int order = compare_natural(a.row_id, b.row_id); order != 0) return order < 0;
    return std::pair(a.path, a.field) < std::pair(b.path, b.field);
  });
}

}  // namespace

Result<std::vector<Backlink>> find_backlinks(Workspace& workspace,
                                             std::string_view database_id,
                                             std::string_view row_id) {
  const auto database = workspace.get(database_id);
  if (!database) return database.error();
  const auto path = (*database)->path_of(row_id);
  if (!path) return path.error();
  const Target target{std::string(database_id),
                      std::string(row_id),
                      *path,
                      std::string(without_md(*path)),
                      std::string(name_in(row_id))};
  const auto ids = workspace.database_ids();
  if (!ids) return ids.error();
  std::vector<Backlink> links;
  for (const std::string& id : ids->ids) {
    const auto other = workspace.get(id);
    if (!other) continue;
    const auto relations = (*other)->relations_to(target.database, target.id);
    if (!relations) continue;
    for (const auto& [row, field, file] : *relations) {
      if (id != target.database || row != target.id) links.push_back({id, row, field, file});
    }
  }
  Search search(workspace.files(), target);
  if (LinkMemory* remembered = workspace.link_memory()) {
    remembered->for_each([&](const LinkMemory::StoredNote& note) { search.take(note); });
  } else {
    walk_notes(workspace.files(), {.visit = [&](const WalkedNote& note) { search.take(note); }});
  }
  for (Backlink& link : search.found())
    links.push_back(std::move(link));
  sort_links(links);
  return links;
}

}  // namespace notesdb
