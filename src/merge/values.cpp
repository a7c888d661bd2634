#include "merge/values.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/date.h"

namespace notesdb {

namespace {

constexpr std::array<std::string_view, 7> rule_names{
    "by_shape", "union", "max", "min", "ours", "theirs", "conflict"};

MergedValue clean(std::optional<Value> value) {
  return {true, std::move(value)};
}

MergedValue clean_if_there(std::optional<List> list) {
  return list ? clean(std::move(*list)) : MergedValue{};
}

MergedValue merge_parts(const ThreeValues& values);

// Less, as `max` and `min` order values: numbers, then moments, then text by code point.
bool is_less(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return a.number() < b.number();
  if (!a.is_text() || !b.is_text()) return a.kind() < b.kind();
  auto a_moment = parse_moment(a.text());
  auto b_moment = parse_moment(b.text());
  if (a_moment && b_moment) return *a_moment < *b_moment;
  return a.text() < b.text();
}

std::size_t hash_of(const Value& value) {
  const auto mixed = [](std::size_t a, std::size_t b) { return a * 1099511628211U ^ b; };
  auto hash = static_cast<std::size_t>(value.kind());
  if (value.is_text()) return mixed(hash, std::hash<std::string>{}(value.text()));
  if (value.is_integer()) return mixed(hash, std::hash<std::int64_t>{}(value.integer()));
  if (value.is_real()) return mixed(hash, std::hash<double>{}(value.real()));
  if (value.is_boolean()) return mixed(hash, value.boolean() ? 1 : 2);
  if (value.is_list()) {
    for (const Value& item : value.list())
      hash = mixed(hash, hash_of(item));
  }
  if (value.is_map()) {
    for (const Member& member : value.map())
      hash = mixed(mixed(hash, std::hash<std::string>{}(member.key)), hash_of(member.value));
  }
  return hash;
}

// Lists of values as lists of numbers, the same number for equal values.
class Numbering {
 public:
  std::vector<std::uint32_t> of(const List& list) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(list.size());
    for (const Value& item : list) {
      const auto next = static_cast<std::uint32_t>(values_.size());
      const auto [found, is_new] = known_.try_emplace(&item, next);
      if (is_new) values_.push_back(&item);
      numbers.push_back(found->second);
    }
    return numbers;
  }
  std::size_t size() const { return values_.size(); }
  const Value& value(std::uint32_t number) const { return *values_[number]; }

 private:
  struct Hash {
    std::size_t operator()(const Value* value) const { return hash_of(*value); }
  };
  struct Same {
    bool operator()(const Value* a, const Value* b) const { return *a == *b; }
  };
  std::unordered_map<const Value*, std::uint32_t, Hash, Same> known_;
  std::vector<const Value*> values_;
};

using Numbers = std::vector<std::uint32_t>;
using Counts = std::vector<std::ptrdiff_t>;

Counts counts_in(const Numbers& list, std::size_t size) {
  Counts counts(size);
  for (const std::uint32_t number : list)
    ++counts[number];
  return counts;
}

// Where an item that theirs added belongs in the merged list: after the nearest item before it
// that the merged list has too, and after what ours added there.
std::size_t place_of(const Numbers& merged,
                     const Numbers& theirs,
                     const Counts& count_merged,
                     const Counts& count_theirs,
                     std::size_t index) {
  std::size_t place = 0;
  for (std::size_t i = index; i-- > 0 && place == 0;) {
    if (count_merged[theirs[i]] == 0) continue;
    const auto found = std::find(merged.rbegin(), merged.rend(), theirs[i]);
    place = static_cast<std::size_t>(merged.rend() - found);
  }
  bool only_item = index == 0 && theirs.size() == 1;
  if (place == 0 && !only_item) return 0;
  while (place < merged.size() && count_theirs[merged[place]] == 0)
    ++place;
  return place;
}

// How many of an item the merged list has: what the base had and what both sides did to it. The
// same addition or removal on both sides is one.
std::ptrdiff_t merged_count(std::ptrdiff_t before, std::ptrdiff_t ours, std::ptrdiff_t theirs) {
  std::ptrdiff_t by_ours = ours - before;
  std::ptrdiff_t by_theirs = theirs - before;
  if (by_ours > 0 && by_theirs > 0) return before + std::max(by_ours, by_theirs);
  if (by_ours < 0 && by_theirs < 0) return before + std::min(by_ours, by_theirs);
  return std::max<std::ptrdiff_t>(0, before + by_ours + by_theirs);
}

// None where theirs added more than can be put in its places in good time: thousands of items to a
// list of tens of thousands.
std::optional<List> merge_sets(const List& base, const List& ours, const List& theirs) {
  constexpr std::size_t max_steps = 100'000'000;
  Numbering numbering;
  const Numbers of_base = numbering.of(base);
  const Numbers of_ours = numbering.of(ours);
  const Numbers of_theirs = numbering.of(theirs);
  const std::size_t size = numbering.size();
  const Counts before = counts_in(of_base, size);
  const Counts in_ours = counts_in(of_ours, size);
  const Counts in_theirs = counts_in(of_theirs, size);
  Counts wanted(size);
  for (std::size_t i = 0; i < size; ++i)
    wanted[i] = merged_count(before[i], in_ours[i], in_theirs[i]);
  Numbers merged;
  Counts in_merged(size);
  for (const std::uint32_t item : of_ours) {
    if (in_merged[item] == wanted[item]) continue;
    merged.push_back(item);
    ++in_merged[item];
  }
  std::size_t steps = 0;
  for (std::size_t i = 0; i < of_theirs.size(); ++i) {
    const std::uint32_t item = of_theirs[i];
    if (in_merged[item] >= wanted[item]) continue;
    steps += merged.size() + i;
    if (steps > max_steps) return std::nullopt;
    const auto place =
        static_cast<std::ptrdiff_t>(place_of(merged, of_theirs, in_merged, in_theirs, i));
    merged.insert(merged.begin() + place, item);
    ++in_merged[item];
  }
  List list;
  list.reserve(merged.size());
  for (const std::uint32_t item : merged)
    list.push_back(numbering.value(item));
  return list;
}

std::string_view id_of(const Value& item) {
  const Value* id = item.find("id");
  return id != nullptr && id->is_text() ? std::string_view(id->text()) : std::string_view();
}

// Whether every item is a map with an id of its own.
bool is_keyed(const List& list) {
  std::unordered_set<std::string_view> seen;
  return std::ranges::all_of(list, [&](const Value& item) {
    const std::string_view id = id_of(item);
    return !id.empty() && seen.insert(id).second;
  });
}

Map by_id(const List& list) {
  Map map;
  for (const Value& item : list)
    map.push_back({std::string(id_of(item)), item});
  return map;
}

std::optional<Value> member(const Map& map, std::string_view key) {
  const Value* found = find_member(map, key);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

// Where a key that theirs added belongs: after the nearest key before it that is there already.
Map::iterator place_of(Map& merged, const Map& theirs, std::size_t index) {
  for (std::size_t i = index; i-- > 0;) {
    auto found = std::ranges::find(merged, theirs[i].key, &Member::key);
    if (found != merged.end()) return found + 1;
  }
  return merged.end();
}

std::optional<Map> merge_maps(const Map& base, const Map& ours, const Map& theirs) {
  Map merged;
  for (const Member& mine : ours) {
    MergedValue part = merge_values(MergeRule::by_shape,
                                    {member(base, mine.key), mine.value, member(theirs, mine.key)});
    if (!part.clean) return std::nullopt;
    if (part.value) merged.push_back({mine.key, *part.value});
  }
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    if (find_member(ours, theirs[i].key) != nullptr) continue;
    MergedValue part = merge_values(MergeRule::by_shape,
                                    {member(base, theirs[i].key), std::nullopt, theirs[i].value});
    if (!part.clean) return std::nullopt;
    if (part.value) {
      merged.insert(place_of(merged, theirs, i), Member{theirs[i].key, *part.value});
    }
  }
  return merged;
}

MergedValue merge_lists(const List& base, const List& ours, const List& theirs) {
  bool keyed = !ours.empty() && is_keyed(base) && is_keyed(ours) && is_keyed(theirs);
  if (!keyed) return clean_if_there(merge_sets(base, ours, theirs));
  std::optional<Map> merged = merge_maps(by_id(base), by_id(ours), by_id(theirs));
  if (!merged) return {};
  List list;
  for (Member& item : *merged)
    list.push_back(std::move(item.value));
  return clean(std::move(list));
}

// The parts of lists and maps, each by itself; a base of another kind counts as empty.
MergedValue merge_parts(const ThreeValues& values) {
  const Value& ours = *values.ours;
  const Value& theirs = *values.theirs;
  if (ours.is_list() && theirs.is_list()) {
    bool has_base = values.base && values.base->is_list();
    return merge_lists(has_base ? values.base->list() : List{}, ours.list(), theirs.list());
  }
  if (ours.is_map() && theirs.is_map()) {
    bool has_base = values.base && values.base->is_map();
    auto merged = merge_maps(has_base ? values.base->map() : Map{}, ours.map(), theirs.map());
    if (merged) return clean(std::move(*merged));
  }
  return {};
}

MergedValue merge_by_order(MergeRule rule, const ThreeValues& values) {
  if (!values.ours || !values.theirs) return clean(values.ours ? values.ours : values.theirs);
  bool theirs_is_greater = is_less(*values.ours, *values.theirs);
  return clean(theirs_is_greater == (rule == MergeRule::greatest) ? values.theirs : values.ours);
}

// Everything that either side has, whatever was removed.
MergedValue merge_union(const ThreeValues& values) {
  if (!values.ours || !values.theirs) return clean(values.ours ? values.ours : values.theirs);
  if (!values.ours->is_list() || !values.theirs->is_list()) return {};
  return clean_if_there(merge_sets({}, values.ours->list(), values.theirs->list()));
}

}  // namespace

std::string_view name_of(MergeRule rule) {
  return rule_names[static_cast<std::size_t>(rule)];
}

std::optional<MergeRule> parse_merge_rule(std::string_view name) {
  const auto* found = std::ranges::find(rule_names.begin() + 1, rule_names.end(), name);
  if (found == rule_names.end()) return std::nullopt;
  return static_cast<MergeRule>(found - rule_names.begin());
}

MergedValue merge_values(MergeRule rule, const ThreeValues& values) {
  if (values.ours == values.theirs) return clean(values.ours);
  if (rule == MergeRule::set_union) {
    MergedValue merged = merge_union(values);
    if (merged.clean) return merged;
  }
  if (values.base == values.theirs) return clean(values.ours);
  if (values.base == values.ours) return clean(values.theirs);
  switch (rule) {
    case MergeRule::ours: return clean(values.ours);
    case MergeRule::theirs: return clean(values.theirs);
    case MergeRule::greatest:
    case MergeRule::least: return merge_by_order(rule, values);
    case MergeRule::conflict: return {};
    case MergeRule::set_union:
    case MergeRule::by_shape: break;
  }
  if (!values.ours || !values.theirs) return {};
  return merge_parts(values);
}

}  // namespace notesdb
