#include "database/value_owners.h"

#include <utility>

namespace notesdb {
namespace {

Field field_of(const Schema& schema, const std::string& column) {
  auto field = bind_field(column, schema);
  return field ? *std::move(field) : Field{};
}

}  // namespace

ValueOwners::ValueOwners(const Schema& schema, const std::string& column)
    : field_(field_of(schema, column)) {}

const ValueOwners::Entry* ValueOwners::entry(const Value& value) const {
  if (is_empty(value)) return nullptr;
  const auto found = by_value_.find(rank_of(value, field_));
  return found == by_value_.end() ? nullptr : &found->second;
}

const ValueOwners::Owner* ValueOwners::find(const Value& value) const {
  const Entry* found = entry(value);
  return found == nullptr ? nullptr : &found->owner;
}

bool ValueOwners::is_shared(const Value& value) const {
  const Entry* found = entry(value);
  return found != nullptr && found->shared;
}

void ValueOwners::add(const Value& value, Owner owner) {
  if (is_empty(value)) return;
  const Rank rank = rank_of(value, field_);
  by_row_[owner.row_id] = rank;
  const auto [place, is_new] = by_value_.try_emplace(rank, Entry{std::move(owner)});
  if (!is_new) place->second.shared = true;
}

void ValueOwners::release(const std::string& row_id) {
  const auto held = by_row_.find(row_id);
  if (held == by_row_.end()) return;
  const auto found = by_value_.find(held->second);
  if (found != by_value_.end() && found->second.owner.row_id == row_id) by_value_.erase(found);
  by_row_.erase(held);
}

}  // namespace notesdb
