#include "database/backlinks.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>
#include <utility>

#include "core/text.h"
#include "database/body_links.h"
#include "database/database_folder.h"
#include "database/workspace.h"
#include "files/names.h"
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

using Folders = std::map<std::string, std::shared_ptr<const DatabaseFolder>, std::less<>>;

std::string_view without_md(std::string_view path) {
  if (path.ends_with(".md")) path.remove_suffix(3);
  return path;
}

// "tasks" + "../people/./ann" is "people/ann"; empty where it climbs over the root.
std::string resolve(std::string_view folder, std::string_view target) {
  std::vector<std::string_view> names;
  const auto walk = [&](std::string_view path) {
    for (std::size_t start = 0; start <= path.size();) {
      const std::size_t end = std::min(path.find('/', start), path.size());
      const std::string_view name = path.substr(start, end - start);
      start = end + 1;
      if (name.empty() || name == ".") continue;
      if (name != "..") {
        names.push_back(name);
      } else if (names.empty()) {
        return false;
      } else {
        names.pop_back();
      }
    }
    return true;
  };
  if (!walk(target.starts_with('/') ? "" : folder) || !walk(target)) return "";
  std::string path = ".";
  for (const std::string_view name : names)
    path = join_path(path, name);
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
  Search(const FileSystem& files, const Folders& folders, const Target& target)
      : files_(files), folders_(folders), target_(target) {}

  // Reads every note below `folder`, which belongs to `owner` if that is not null.
  void search(const std::string& folder, const DatabaseFolder* owner);
  std::vector<Backlink> take() { return std::move(found_); }

 private:
  void read_notes(const std::string& folder,
                  const DatabaseFolder* owner,
                  const std::vector<std::string>& names);
  bool points_here(const Link& link,
                   LinkForm form,
                   std::string_view folder,
                   const DatabaseFolder* owner) const;
  Backlink describe(const std::string& path, const DatabaseFolder* owner) const;

  const FileSystem& files_;
  const Folders& folders_;
  const Target& target_;
  std::mutex mutex_;
  std::vector<Backlink> found_;
};

void Search::search(const std::string& folder, const DatabaseFolder* owner) {
  if (const auto database = folders_.find(folder); database != folders_.end()) {
    owner = database->second.get();
  }
  const auto entries = files_.list(folder);
  if (!entries) return;
  std::vector<std::string> names;
  for (const Entry& entry : *entries) {
    if (entry.kind == FileKind::folder && !is_skipped_folder(entry.name)) {
      search(join_path(folder, entry.name), owner);
    } else if (entry.kind == FileKind::regular && entry.name.ends_with(".md")) {
      names.push_back(entry.name);
    }
  }
  read_notes(folder, owner, names);
}

void Search::read_notes(const std::string& folder,
                        const DatabaseFolder* owner,
                        const std::vector<std::string>& names) {
  std::vector<const char*> bare;
  for (const std::string& name : names)
    bare.push_back(name.c_str());
  const auto done = files_.read_all(folder, bare, [&](const FileView& file) {
    const bool read = file.state == ReadState::whole || file.state == ReadState::being_written;
    if (!read || !may_hold(file.bytes, target_)) return;
    const auto front = split_front_matter(file.bytes, NoteFormat::markdown);
    if (!front) return;
    bool points = false;
    for_each_link(file.bytes.substr(front->body_begin), [&](const Link& link, LinkForm form) {
      points = points || points_here(link, form, folder, owner);
    });
    std::string path = join_path(folder, names[file.index]);
    if (!points || path == target_.path) return;
    const std::lock_guard guard(mutex_);
    found_.push_back(describe(path, owner));
  });
  // A folder that has gone meanwhile holds no links.
  (void)done.ok();
}

bool Search::points_here(const Link& link,
                         LinkForm form,
                         std::string_view folder,
                         const DatabaseFolder* owner) const {
  if (form == LinkForm::markdown) {
    const std::string path = resolve(folder, link.target);
    return path == target_.stem || path == join_path(target_.database, target_.id);
  }
  if (link.target == target_.stem || link.target == join_path(target_.database, target_.id)) {
    return true;
  }
  if (link.target != target_.id) return false;
  if (owner == nullptr || owner->id() == target_.database) return true;
  const auto own = owner->find_row(files_, target_.id);
  return !own || !own->has_value();
}

Backlink Search::describe(const std::string& path, const DatabaseFolder* owner) const {
  Backlink link{"", "", "_body", to_utf8(path)};
  if (owner == nullptr) return link;
  const std::string_view inside = owner->id() == "."
                                      ? std::string_view(path)
                                      : std::string_view(path).substr(owner->id().size() + 1);
  if (owner->names().role_of(inside) != FileRole::row) return link;
  link.database_id = owner->id();
  link.row_id = owner->names().id_of(inside);
  return link;
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
  Folders folders;
  std::vector<Backlink> links;
  for (const std::string& id : ids->ids) {
    auto folder = DatabaseFolder::read(workspace.files(), id);
    if (!folder) continue;
    folders.emplace(id, std::move(*folder));
    const auto other = workspace.get(id);
    if (!other) continue;
    const auto relations = (*other)->relations_to(target.database, target.id);
    if (!relations) continue;
    for (const auto& [row, field, file] : *relations) {
      if (id != target.database || row != target.id) links.push_back({id, row, field, file});
    }
  }
  Search search(workspace.files(), folders, target);
  search.search(".", nullptr);
  for (Backlink& link : search.take())
    links.push_back(std::move(link));
  sort_links(links);
  return links;
}

}  // namespace notesdb
