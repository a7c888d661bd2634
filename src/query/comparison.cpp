#include "query/comparison.h"

#include <algorithm>

#include "core/date.h"
#include "core/text.h"

namespace notesdb {

namespace {

void rank_text(const std::string& text, const Field& field, Rank& rank) {
  if (field.by_options) {
    const auto option = std::ranges::find(field.options, text);
    if (option != field.options.end()) {
      rank.kind = Rank::Kind::number;  // before what is not an option
      rank.number = Number(static_cast<std::int64_t>(option - field.options.begin()));
      return;
    }
  }
  bool dates = field.family == Family::moment || field.family == Family::json;
  std::optional<Timestamp> moment = dates ? parse_moment(text) : std::nullopt;
  std::optional<Number> number =
      field.family == Family::number ? Number::parse(text) : std::nullopt;
  if (moment) {
    rank.kind = Rank::Kind::moment;
    rank.moment = moment->microseconds;
  } else if (number) {
    rank.kind = Rank::Kind::number;
    rank.number = *number;
  } else {
    rank.kind = field.source == Field::Source::id ? Rank::Kind::natural : Rank::Kind::text;
    rank.text = text;
  }
}

template <typename T>
int order_of(const T& a, const T& b) {
  return static_cast<int>(a > b) - static_cast<int>(a < b);
}

int compare_items(const std::vector<Rank>& a, const std::vector<Rank>& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (int order = compare(a[i], b[i]); order != 0) return order;
  }
  return order_of(a.size(), b.size());
}

}  // namespace

Rank rank_of(const Value& value, const Field& field) {
  Rank rank;
  switch (value.kind()) {
    case ValueKind::null: break;
    case ValueKind::boolean:
      rank.kind = Rank::Kind::boolean;
      rank.boolean = value.boolean();
      break;
    case ValueKind::integer:
    case ValueKind::real:
      rank.kind = Rank::Kind::number;
      rank.number = *Number::of(value);
      break;
    case ValueKind::text: rank_text(value.text(), field, rank); break;
    case ValueKind::list:
      rank.kind = Rank::Kind::list;
      for (const Value& item : value.list())
        rank.items.push_back(rank_of(item, field));
      break;
    case ValueKind::map:
      rank.kind = Rank::Kind::map;
      rank.text = to_display(value);
      break;
  }
  return rank;
}

int compare(const Rank& a, const Rank& b) {
  if (a.kind != b.kind) return order_of(a.kind, b.kind);
  switch (a.kind) {
    case Rank::Kind::missing: return 0;
    case Rank::Kind::boolean: return order_of(a.boolean, b.boolean);
    case Rank::Kind::number: return compare(a.number, b.number);
    case Rank::Kind::moment: return order_of(a.moment, b.moment);
    case Rank::Kind::text:
    case Rank::Kind::map: return a.text.compare(b.text);
    case Rank::Kind::natural: return compare_natural(a.text, b.text);
    case Rank::Kind::list: return compare_items(a.items, b.items);
  }
  return 0;
}

bool same_value(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return compare(*Number::of(a), *Number::of(b)) == 0;
  if (a.is_list() && b.is_list()) return std::ranges::equal(a.list(), b.list(), same_value);
  if (a.is_map() && b.is_map()) {
    return a.map().size() == b.map().size() &&
           std::ranges::all_of(a.map(), [&](const Member& member) {
             const Value* other = b.find(member.key);
             return other != nullptr && same_value(member.value, *other);
           });
  }
  return a == b;
}

}  // namespace notesdb
