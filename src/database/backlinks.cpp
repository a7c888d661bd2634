#include "database/backlinks.h"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <set>
#include <utility>

#include "core/text.h"
#include "database/link_memory.h"
#include "database/note_walk.h"
#include "database/workspace.h"
#include "files/names.h"
#include "note/body_links.h"
#include "note/front_matter.h"

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
  void take(const LinkMemory::Linking& link);
  std::vector<Backlink> found();
  // How a link may write what is searched: names as LinkMemory has them.
  std::vector<std::string> names() const;

 private:
  // `name` as LinkMemory has it.
  bool points_here(std::string_view name, LinkForm form, const DatabaseFolder* owner) const;
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
    if (points) return;
    const std::string name = LinkMemory::name_of(link, note.folder);
    points = points_here(name, link.form, note.owner.get());
  });
  if (points) add(note.path, note.row_id, note.owner.get());
}

void Search::take(const LinkMemory::Linking& link) {
  if (link.path == target_.path || !points_here(link.name, link.form, link.owner.get())) return;
  add(link.path, link.row_id, link.owner.get());
}

// A note counts once, however often it names the row.
std::vector<Backlink> Search::found() {
  std::ranges::sort(found_, {}, &Backlink::path);
  const auto repeated = std::ranges::unique(found_, {}, &Backlink::path);
  found_.erase(repeated.begin(), repeated.end());
  return std::move(found_);
}

void Search::add(std::string_view path, std::string_view row_id, const DatabaseFolder* owner) {
  Backlink link{"", std::string(row_id), "_body", to_utf8(path)};
  if (!row_id.empty()) link.database_id = owner->id();
  const std::lock_guard guard(mutex_);
  found_.push_back(std::move(link));
}

std::vector<std::string> Search::names() const {
  const std::set<std::string> names{
      target_.id, target_.stem, join_path(target_.database, target_.id)};
  return {names.begin(), names.end()};
}

bool Search::points_here(std::string_view name, LinkForm form, const DatabaseFolder* owner) const {
  if (name == target_.stem || name == join_path(target_.database, target_.id)) return true;
  if (form == LinkForm::markdown || name != target_.id) return false;
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
  Search search(workspace.files(), target);
  std::vector<std::string> ids;
  if (LinkMemory* remembered = workspace.link_memory()) {
    remembered->find_links(search.names(), [&](const auto& link) { search.take(link); });
    ids = remembered->database_ids();
  } else {
    walk_notes(workspace.files(), {.visit = [&](const WalkedNote& note) { search.take(note); }});
    auto found = workspace.database_ids();
    if (!found) return found.error();
    ids = std::move(found->ids);
  }
  std::vector<Backlink> links = search.found();
  for (const std::string& id : ids) {
    const auto other = workspace.get(id);
    if (!other) continue;
    const auto relations = (*other)->relations_to(target.database, target.id);
    if (!relations) continue;
    for (const auto& [row, field, file] : *relations) {
      if (id != target.database || row != target.id) links.push_back({id, row, field, file});
    }
  }
  sort_links(links);
  return links;
}

}  // namespace notesdb
