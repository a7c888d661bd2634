#include "database/reverse_rollups.h"

#include <algorithm>
#include <cstring>

#include "core/budget.h"
#include "database/derived_columns.h"
#include "index/relation_cache.h"

namespace notesdb {

namespace {

constexpr std::string_view ending = ".md";

// Calls `changed` for each row whose code is another than it was. Nearly all are the same, and those
// are compared in blocks.
template <typename Changed>
void each_changed(std::span<const std::uint32_t> now,
                  std::span<const std::uint32_t> before,
                  const Changed& changed) {
  constexpr std::size_t block = 1024;
  for (std::size_t begin = 0; begin < now.size(); begin += block) {
    const std::size_t count = std::min(block, now.size() - begin);
    const auto* const first = now.data() + begin;
    if (std::memcmp(first, before.data() + begin, count * sizeof(std::uint32_t)) == 0) continue;
    for (std::size_t row = begin; row < begin + count; ++row)
      if (now[row] != before[row]) changed(static_cast<std::uint32_t>(row));
  }
}

}  // namespace

RollupSource source_of(std::string_view from) {
  const std::size_t dot = from.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == from.size()) return {};
  return {std::string(from.substr(0, dot)), std::string(from.substr(dot + 1))};
}

// Which rows name whom through one relation, and what that makes of a field.
class ReverseRollups::PointingRows {
 public:
  std::shared_ptr<const ValuesByRow> update(const Rollup& rollup,
                                            const Source& source,
                                            const Targets& targets) {
    const std::lock_guard guard(mutex_);
    const bool is_same = is_kept_ && is_of(rollup, source, targets);
    is_kept_ = false;  // until all of it is done: the budget may end it
    if (!is_same) forget(rollup, source, targets);
    read_relations(source, targets);
    std::vector<std::uint32_t> stale = is_same ? take_changes(source) : take_all(source);
    compute(source, std::move(stale));
    is_kept_ = true;
    return values_;
  }

 private:
  bool is_of(const Rollup& rollup, const Source& source, const Targets& targets) const {
    const bool is_same_rollup = rollup.from == rollup_.from && rollup.field == rollup_.field &&
                                rollup.function == rollup_.function;
    return is_same_rollup && source.relations.number == relation_number_ &&
           source.field.number == field_number_ &&
           (!has_links_ || targets.number == target_number_);
  }

  void forget(const Rollup& rollup, const Source& source, const Targets& targets) {
    rollup_ = rollup;
    relation_number_ = source.relations.number;
    field_number_ = source.field.number;
    target_number_ = targets.number;
    has_links_ = false;
    named_.assign(1, {});
    ids_.clear();
    by_id_.clear();
    rows_.clear();
    relation_codes_.clear();
    field_codes_.clear();
    values_ = std::make_shared<ValuesByRow>();
  }

  // Whom each value of the relation names, as far as they are not known yet.
  void read_relations(const Source& source, const Targets& targets) {
    const std::uint32_t count = source.relations.table->value_count(source.relations.place);
    LinkNames names;
    bool has_names = false;
    std::uint32_t looks = 0;
    while (named_.size() <= count) {
      Budget::look_rarely(looks);
      const auto code = static_cast<std::uint32_t>(named_.size());
      const Value value = source.relations.table->value(source.relations.place, code);
      std::vector<std::uint32_t> named;
      const List one{value};
      for (const Value& item : value.is_list() ? value.list() : one) {
        for (std::string id : related_rows(*source.relation, item)) {
          BodyLink link;
          const bool is_link = item.text().starts_with('[') && scan_whole_link(item.text(), link);
          has_links_ = has_links_ || is_link;
          if (is_link && !targets.has(id)) {
            if (!std::exchange(has_names, true)) targets.add_all(names);
            const auto meaning = names.resolve(path_meant(link), link.form, "");
            if (!meaning.is_found()) continue;
            const std::string& path = names.path(meaning.file);
            id = path.substr(0, path.size() - ending.size());
          }
          named.push_back(target(std::move(id)));
        }
      }
      std::ranges::sort(named);
      named.erase(std::unique(named.begin(), named.end()), named.end());
      named_.push_back(std::move(named));
    }
  }

  std::uint32_t target(std::string id) {
    const auto next = static_cast<std::uint32_t>(ids_.size());
    const auto [found, is_new] = by_id_.emplace(std::move(id), next);
    if (is_new) {
      ids_.push_back(found->first);
      rows_.emplace_back();
    }
    return found->second;
  }

  std::vector<std::uint32_t> take_all(const Source& source) {
    const auto relations = source.relations.table->codes(source.relations.place);
    Budget::take(2 * relations.size_bytes());
    relation_codes_.assign(relations.begin(), relations.end());
    if (source.field.table != nullptr) {
      const auto fields = source.field.table->codes(source.field.place);
      field_codes_.assign(fields.begin(), fields.end());
    }
    for (std::uint32_t row = 0; row < relations.size(); ++row)
      for (const std::uint32_t target : named_[relations[row]])
        rows_[target].push_back(row);
    std::vector<std::uint32_t> all(ids_.size());
    for (std::uint32_t target = 0; target < all.size(); ++target)
      all[target] = target;
    return all;
  }

  std::vector<std::uint32_t> take_changes(const Source& source) {
    std::vector<std::uint32_t> stale;
    const auto relations = source.relations.table->codes(source.relations.place);
    each_changed(relations, relation_codes_, [&](std::uint32_t row) {
      for (const std::uint32_t target : named_[relation_codes_[row]]) {
        auto& rows = rows_[target];
        rows.erase(std::ranges::lower_bound(rows, row));
        stale.push_back(target);
      }
      relation_codes_[row] = relations[row];
      for (const std::uint32_t target : named_[relations[row]]) {
        auto& rows = rows_[target];
        rows.insert(std::ranges::lower_bound(rows, row), row);
        stale.push_back(target);
      }
    });
    if (source.field.table != nullptr) take_changed_fields(source.field, stale);
    std::ranges::sort(stale);
    stale.erase(std::unique(stale.begin(), stale.end()), stale.end());
    return stale;
  }

  void take_changed_fields(const SeenColumn& field, std::vector<std::uint32_t>& stale) {
    const auto codes = field.table->codes(field.place);
    each_changed(codes, field_codes_, [&](std::uint32_t row) {
      field_codes_[row] = codes[row];
      const auto& named = named_[relation_codes_[row]];
      stale.insert(stale.end(), named.begin(), named.end());
    });
  }

  void compute(const Source& source, const std::vector<std::uint32_t>& stale) {
    if (stale.empty()) return;
    if (values_.use_count() > 1) values_ = std::make_shared<ValuesByRow>(*values_);
    std::uint32_t looks = 0;
    for (const std::uint32_t target : stale) {
      if (rows_[target].empty()) {
        values_->erase(ids_[target]);
        continue;
      }
      List found;
      for (const std::uint32_t row : rows_[target]) {
        Budget::look_rarely(looks);
        add_field(source, row, found);
      }
      values_->insert_or_assign(ids_[target], rolled_up(rollup_, found, rows_[target].size()));
    }
  }

  void add_field(const Source& source, std::uint32_t row, List& found) const {
    if (source.field.table != nullptr) {
      const std::uint32_t code = field_codes_[row];
      const bool fits = code != 0 && source.field.table->fits(source.field.place, code);
      if (fits) add_elements(source.field.table->value(source.field.place, code), found);
    } else if (!rollup_.field.empty() || rollup_.function == "list") {
      found.emplace_back(source.relations.table->row_id(row));
    }
  }

  std::mutex mutex_;
  bool is_kept_ = false;
  Rollup rollup_;
  std::uint64_t relation_number_ = 0;
  std::uint64_t field_number_ = 0;
  std::uint64_t target_number_ = 0;
  bool has_links_ = false;
  std::vector<std::vector<std::uint32_t>> named_;         // targets by code of the relation
  std::vector<std::string> ids_;                          // of targets
  std::unordered_map<std::string, std::uint32_t> by_id_;  // the same by id
  std::vector<std::vector<std::uint32_t>> rows_;          // by target, ascending
  std::vector<std::uint32_t> relation_codes_;             // by row, as they were seen last
  std::vector<std::uint32_t> field_codes_;
  std::shared_ptr<ValuesByRow> values_;
};

std::shared_ptr<const ValuesByRow> ReverseRollups::values(const Column& declared,
                                                          const Source& source,
                                                          const Targets& targets) {
  std::shared_ptr<PointingRows> kept;
  {
    const std::lock_guard guard(mutex_);
    auto& place = kept_[declared.id];
    if (!place) place = std::make_shared<PointingRows>();
    kept = place;
  }
  return kept->update(*declared.rollup, source, targets);
}

}  // namespace notesdb
