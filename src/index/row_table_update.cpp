// How a table follows single files: those that the kernel says were touched, and those that a slow
// look finds changed; and the copy that a change is made in while questions read the table.
#include <algorithm>

#include "index/natural_sort.h"
#include "index/row_table.h"

namespace notesdb {

std::shared_ptr<RowTable> RowTable::copy() const {
  auto copied = std::make_shared<RowTable>(files_, folder_);
  copied->paths_ = paths_.copy();
  copied->facts_ = facts_.copy();
  for (std::size_t column = 0; column < codes_.size(); ++column)
    copied->codes_[column] = codes_[column].copy();
  copied->reader_ = reader_.copy(folder_->schema());
  copied->unreadable_ = unreadable_;
  copied->unreadable_before_ = unreadable_before_;
  copied->read_count_ = read_count_;
  copied->unsettled_ = unsettled_;
  copied->names_are_odd_ = names_are_odd_;
  copied->is_own_ = is_own_;
  copied->is_changed_ = true;  // its arrays do not lie in the index file
  copied->index_ = index_;
  const std::lock_guard guard(kept_mutex_);
  copied->ranks_ = ranks_;
  return copied;
}

Result<bool> RowTable::update(std::vector<std::string> paths) {
  const RowNames& names = folder_->names();
  std::vector<std::string> added;
  std::vector<std::uint32_t> rows;
  for (const std::string& path : paths) {
    unreadable_.erase(path);
    const auto row = find(names.id_of(path));
    if (row && relative_path(facts_[*row]) != path) return false;  // two files of one id
    if (row) {
      rows.push_back(*row);
      continue;
    }
    const auto found = files_.stat(folder_->full_path(path));
    if (!found) return false;
    if (found->kind == FileKind::missing) continue;
    if (found->kind != FileKind::regular) return false;
    added.push_back(path);
  }
  if (!added.empty()) {
    sort_naturally(names, added);
    const auto same_id = [&](const std::string& a, const std::string& b) {
      return names.id_of(a) == names.id_of(b);
    };
    if (std::adjacent_find(added.begin(), added.end(), same_id) != added.end()) return false;
    if (is_id_of_unreadable(added)) return false;
    insert_rows(added);
    rows.clear();
    for (const std::string& path : paths) {
      if (const auto row = find(names.id_of(path))) rows.push_back(*row);
    }
  }
  std::sort(rows.begin(), rows.end());
  if (auto done = read_rows(rows); !done) return done.error();
  return !names_are_odd_;
}

// Where a file that cannot be read has the id of another, a listing says which of them is the row.
bool RowTable::is_id_of_unreadable(const std::vector<std::string>& paths) const {
  const RowNames& names = folder_->names();
  return std::ranges::any_of(unreadable_, [&](const auto& unreadable) {
    const std::string_view id = names.id_of(unreadable.first);
    return std::ranges::any_of(paths, [&](const auto& path) { return names.id_of(path) == id; });
  });
}

void RowTable::insert_rows(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  std::vector<std::uint32_t> places;
  for (const std::string& path : paths)
    places.push_back(lower_bound(folder_->names().id_of(path)));
  forget_kept_rows();
  facts_.spread(places);
  for (auto& column : codes_)
    column.spread(places);
  for (std::size_t i = 0; i < paths.size(); ++i)
    facts_[places[i] + i] = place_path(paths[i], RowFacts{});
}

RowLook RowTable::look_at(std::uint32_t first, std::uint32_t count) const {
  RowLook look;
  const auto from = facts_.span().subspan(std::min(first, row_count()));
  for (const RowFacts& facts : from.first(std::min<std::size_t>(count, from.size()))) {
    if (facts.sure) {
      look.add(relative_path(facts), facts.key);
    } else {
      look.add_unsure(relative_path(facts));
    }
  }
  return look;
}

std::vector<std::string> RowTable::stale_unreadable() const {
  std::vector<std::string> paths;
  for (const auto& [path, unreadable] : unreadable_) {
    const auto found = files_.stat(folder_->full_path(path));
    const bool same = unreadable.sure && found && found->kind == FileKind::regular &&
                      found->key == unreadable.key;
    if (!same) paths.push_back(path);
  }
  return paths;
}

bool RowTable::is_worn() const {
  constexpr std::size_t few = 1000;
  for (std::size_t column = 0; column < codes_.size(); ++column) {
    if (value_count(column) > std::size_t{2} * row_count() + few) return true;
  }
  std::size_t used = 0;
  for (const RowFacts& facts : facts_.span())
    used += facts.path_length + std::size_t{1};
  return paths_.size() > 2 * used + few;
}

}  // namespace notesdb
