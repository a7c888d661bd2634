#include "database/new_ids.h"

#include <algorithm>
#include <utility>

#include "files/names.h"
#include "index/paths.h"

namespace notesdb {
namespace {

constexpr int few_lookups = 4;

}  // namespace

NewIds::NewIds(const Schema& schema, std::string folder, std::vector<std::string> ids)
    : schema_(schema), folder_(std::move(folder)), unsorted_(std::move(ids)) {}

const std::string* NewIds::find(const std::string& id) const {
  if (!unsorted_.empty() && lookups_++ < few_lookups) {
    const FoldedId wanted(id);
    const auto found = std::ranges::find_if(
        unsorted_, [&](const std::string& other) { return wanted.is_one_name_with(other); });
    if (found != unsorted_.end()) return &*found;
  } else {
    for (std::string& other : unsorted_) {
      std::string folded = folded_id(other);
      by_folded_.emplace(std::move(folded), std::move(other));
    }
    unsorted_.clear();
  }
  const auto found = by_folded_.find(folded_id(id));
  return found == by_folded_.end() ? nullptr : &found->second;
}

std::int64_t NewIds::highest_counter(std::string_view prefix) const {
  if (!counter_) {
    counter_ = 0;
    const auto take = [&](const std::string& id) {
      counter_ = std::max(*counter_, counter_of(id, prefix).value_or(0));
    };
    std::ranges::for_each(unsorted_, take);
    for (const auto& [folded, id] : by_folded_)
      take(id);
  }
  return *counter_;
}

Result<std::string> NewIds::take(const std::string& wanted, std::string_view source) {
  std::string id = wanted.empty() ? make_row_id(schema_, folder_, *this, source) : wanted;
  if (auto allowed = check_new_row_id(id); !allowed) return allowed.error();
  if (const std::string* by = find(id)) return id_taken(id, *by);
  by_folded_.emplace(folded_id(id), id);
  if (const auto number = counter_of(id, folder_ + schema_.row_id.prefix)) {
    if (counter_) counter_ = std::max(*counter_, *number);
    highest_new_ = std::max(highest_new_.value_or(0), *number);
  }
  return id;
}

void NewIds::release(const std::string& id) {
  by_folded_.erase(folded_id(id));
  std::erase(unsorted_, id);
}

}  // namespace notesdb
