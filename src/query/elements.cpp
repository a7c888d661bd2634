#include "query/elements.h"

#include "core/budget.h"

namespace notesdb {
namespace {

// A value, its rank, and its place among those that are known.
constexpr std::size_t bytes_of_element = sizeof(Value) + sizeof(Rank) + 64;

}  // namespace

Elements::Elements(const Table& table, const Field& field, std::optional<DatePart> part)
    : field_(field), source_(table, field), part_(part) {
  if (source_.coded()) of_codes_.resize(source_.value_count() + std::size_t{1});
  take_one(Value());
  pool_.clear();
}

void Elements::take_one(const Value& value) {
  Budget::look_rarely(taken_);
  Value element = value;
  std::optional<Timestamp> moment;
  if (part_ && value.is_text()) moment = parse_moment(value.text());
  if (moment) element = period_of(*moment, *part_);
  auto [place, added] =
      known_.try_emplace(rank_of(element, field_), static_cast<std::uint32_t>(values_.size()));
  std::uint32_t number = place->second;
  if (added) {
    Budget::take(place->first.text.size() * 2 + bytes_of_element);
    ranks_.push_back(&place->first);
    values_.push_back(std::move(element));
  } else if (values_[number] != element && to_display(element) < to_display(values_[number])) {
    values_[number] = std::move(element);
  }
  pool_.push_back(number);
}

Elements::Slice Elements::take(const Value& value) {
  if (value.is_list()) Budget::take(value.list().size() * sizeof(std::uint32_t));
  Slice slice{static_cast<std::uint32_t>(pool_.size()), 0};
  if (!value.is_list()) {
    take_one(value);
  } else {
    for (const Value& item : value.list())
      take_one(item);
    if (value.list().empty()) take_one(Value());
  }
  slice.count = static_cast<std::uint32_t>(pool_.size()) - slice.first;
  return slice;
}

std::span<const std::uint32_t> Elements::of_uncoded_row(std::uint32_t row) {
  Budget::look();
  Result<Value> value = source_.of_row(row);
  if (!value) error_ = value.error();
  pool_.clear();
  return numbers(take(value ? *value : Value()));
}

}  // namespace notesdb
