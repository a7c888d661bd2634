#include "database/backlinks.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/text.h"
#include "database/link_cache.h"
#include "database/note_walk.h"
#include "database/workspace.h"
#include "files/names.h"
#include "index/row_table.h"
#include "note/front_matter.h"
#include "note/links.h"

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

// Of many rows one or the other is named in most notes.
bool may_hold_any(std::string_view bytes, const std::vector<Target>& targets) {
  constexpr std::size_t few = 4;
  return targets.size() > few || std::ranges::any_of(targets, [&](const Target& target) {
           return may_hold(bytes, target);
         });
}

class Search {
 public:
  Search(const FileSystem& files, std::vector<Target> targets)
      : files_(files), targets_(std::move(targets)) {
    for (std::size_t i = 0; i < targets_.size(); ++i)
      for (const std::string& name : names_of(targets_[i]))
        by_name_.emplace(name, i);
  }

  void take(const WalkedNote& note);
  void take(const LinkCache::Linking& link);
  std::vector<Backlink> found();
  // How links may write what is searched: names as LinkCache has them.
  std::vector<std::string> names() const;

 private:
  static std::set<std::string> names_of(const Target& target) {
    return {target.id, target.stem, join_path(target.database, target.id)};
  }
  // Adds the targets that a link points to, by `name` as LinkCache has it, unless the note's other
  // links have: those are in `known`.
  void follow(std::string_view name,
              LinkForm form,
              const DatabaseFolder* owner,
              std::string_view path,
              std::string_view row_id,
              std::unordered_set<std::size_t>& known);
  bool points_to(const Target& target,
                 std::string_view name,
                 LinkForm form,
                 const DatabaseFolder* owner) const;

  const FileSystem& files_;
  std::vector<Target> targets_;
  std::unordered_multimap<std::string, std::size_t> by_name_;
  std::mutex mutex_;
  std::vector<Backlink> found_;
};

void Search::take(const WalkedNote& note) {
  if (!may_hold_any(note.file.bytes, targets_)) return;
  const auto front = split_front_matter(note.file.bytes, note_format_of(note.path));
  if (!front) return;
  std::unordered_set<std::size_t> known;
  for_each_link(note.file.bytes.substr(front->body_begin), [&](const BodyLink& link) {
    const std::string name = LinkCache::name_of(link, note.folder);
    follow(name, link.form, note.owner.get(), note.path, note.row_id, known);
  });
}

void Search::take(const LinkCache::Linking& link) {
  std::unordered_set<std::size_t> known;
  follow(link.name, link.form, link.owner.get(), link.path, link.row_id, known);
}

void Search::follow(std::string_view name,
                    LinkForm form,
                    const DatabaseFolder* owner,
                    std::string_view path,
                    std::string_view row_id,
                    std::unordered_set<std::size_t>& known) {
  const auto [first, last] = by_name_.equal_range(std::string(name));
  for (auto entry = first; entry != last; ++entry) {
    const Target& target = targets_[entry->second];
    if (known.contains(entry->second) || path == target.path) continue;
    if (!points_to(target, name, form, owner)) continue;
    known.insert(entry->second);
    Backlink link{"", std::string(row_id), "_body", to_utf8(path), target.id};
    if (!row_id.empty()) link.database_id = owner->id();
    const std::lock_guard guard(mutex_);
    found_.push_back(std::move(link));
  }
}

// A note counts once for a row, however often it names it.
std::vector<Backlink> Search::found() {
  const auto key = [](const Backlink& link) { return std::tie(link.path, link.target); };
  std::ranges::sort(found_, {}, key);
  const auto repeated = std::ranges::unique(found_, {}, key);
  found_.erase(repeated.begin(), repeated.end());
  return std::move(found_);
}

std::vector<std::string> Search::names() const {
  std::set<std::string> names;
  for (const Target& target : targets_)
    names.merge(names_of(target));
  return {names.begin(), names.end()};
}

bool Search::points_to(const Target& target,
                       std::string_view name,
                       LinkForm form,
                       const DatabaseFolder* owner) const {
  if (name == target.stem || name == join_path(target.database, target.id)) return true;
  if (form == LinkForm::markdown || name != target.id) return false;
  if (owner == nullptr || owner->id() == target.database) return true;
  const auto own = owner->find_row(files_, target.id);
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

// The relations of one database that name any of the rows.
void add_relations(const Database& database,
                   std::string_view target,
                   const std::vector<std::string>& row_ids,
                   std::vector<Backlink>& links) {
  const auto folder = database.folder();
  if (!folder) return;
  const auto names_target = [&](const Column& column) {
    return column.type == ColumnType::relation && column.target == target;
  };
  if (std::ranges::none_of((*folder)->schema().columns, names_target)) return;
  (void)database.with_rows([&](const DatabaseFolder& now, const RowTable& rows) {
    const auto& columns = now.schema().columns;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if (!names_target(columns[column])) continue;
      for (const std::string& id : row_ids) {
        for (const std::uint32_t row : rows.rows_naming(column, id)) {
          const std::string from(rows.row_id(row));
          if (database.id() == target && from == id) continue;
          links.push_back({database.id(), from, columns[column].id, rows.path(row), id});
        }
      }
    }
  });
}

}  // namespace

Result<std::vector<Backlink>> find_backlinks(Workspace& workspace,
                                             std::string_view database_id,
                                             std::string_view row_id) {
  return find_backlinks(workspace, database_id, std::vector{std::string(row_id)});
}

Result<std::vector<Backlink>> find_backlinks(Workspace& workspace,
                                             std::string_view database_id,
                                             const std::vector<std::string>& row_ids) {
  const auto database = workspace.get(database_id);
  if (!database) return database.error();
  std::vector<Target> targets;
  for (const std::string& id : row_ids) {
    const auto path = (*database)->path_of(id);
    if (!path) return path.error();
    targets.push_back({std::string(database_id),
                       id,
                       *path,
                       std::string(without_md(*path)),
                       std::string(name_in(id))});
  }
  Search search(workspace.files(), std::move(targets));
  std::vector<std::string> ids;
  if (LinkCache* remembered = workspace.link_cache()) {
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
    if (other) add_relations(**other, database_id, row_ids, links);
  }
  sort_links(links);
  return links;
}

}  // namespace notesdb
