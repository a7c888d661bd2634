#include "query/order.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "query/argument.h"
#include "query/comparison.h"

namespace notesdb {

namespace {

constexpr std::string_view shape = "a sort is {\"field\": ..., \"direction\": \"asc\" or \"desc\"}";

Error wrong_shape(const std::string& message) {
  return Error{ErrorCode::invalid_argument, message + "; " + std::string(shape), Map{}};
}

// One element of a sort; what is wrong with it goes to `errors`.
SortKeyText parse_sort_key(const Value& given, std::vector<Error>& errors) {
  SortKeyText key;
  if (given.is_text()) {
    key.field = given.text();
    return key;
  }
  if (!given.is_map()) {
    errors.push_back(wrong_shape(to_display(given) + " is not a sort"));
    return key;
  }
  for (const Member& member : given.map()) {
    if (member.key == "field" || member.key == "direction") continue;
    errors.push_back(
        unknown_name(ErrorCode::invalid_argument, "sort key", member.key, {"field", "direction"}));
  }
  const Value* field = given.find("field");
  if (field != nullptr && field->is_text()) {
    key.field = field->text();
  } else {
    errors.push_back(wrong_shape("the 'field' of sort " + to_display(given) + " is missing"));
  }
  const Value* direction = given.find("direction");
  if (direction == nullptr || is_absent(*direction)) return key;
  if (Result<Direction> parsed = parse_direction(*direction)) {
    key.direction = *parsed;
  } else {
    errors.push_back(parsed.error());
  }
  return key;
}

}  // namespace

Result<Direction> parse_direction(const Value& given) {
  if (given == Value("asc")) return Direction::ascending;
  if (given == Value("desc")) return Direction::descending;
  std::string shown = given.is_text() ? given.text() : to_display(given);
  return unknown_name(ErrorCode::invalid_argument, "direction", shown, {"asc", "desc"});
}

Result<std::vector<SortKeyText>> parse_sort(const Value& given) {
  std::vector<SortKeyText> keys;
  std::vector<Error> errors;
  for (const Value& element : elements_of(given))
    keys.push_back(parse_sort_key(element, errors));
  if (!errors.empty()) return join(errors);
  return keys;
}

Result<Order> parse_order(const Value& given, const Schema& schema) {
  Result<std::vector<SortKeyText>> keys = parse_sort(given);
  if (!keys) return keys.error();
  Order order;
  std::vector<Error> errors;
  for (const SortKeyText& key : *keys) {
    Result<Field> field = bind_field(key.field, schema);
    if (field) {
      order.push_back({*std::move(field), key.direction});
    } else {
      errors.push_back(field.error());
    }
  }
  if (!errors.empty()) return join(errors);
  return order;
}

namespace {

using Ranks = std::vector<std::uint32_t>;

// The beginning of a rank as a number that orders as ranks do: most comparisons need no more.
std::uint64_t beginning_of(const Rank& rank) {
  constexpr unsigned bits = 56;
  std::uint64_t begin = 0;
  if (rank.kind == Rank::Kind::text || rank.kind == Rank::Kind::map) {
    for (std::size_t i = 0; i < bits / 8; ++i) {
      begin = begin << 8U | (i < rank.text.size() ? static_cast<unsigned char>(rank.text[i]) : 0U);
    }
  } else if (rank.kind == Rank::Kind::moment) {
    begin = (static_cast<std::uint64_t>(rank.moment) ^ (std::uint64_t{1} << 63U)) >> 8U;
  }
  return static_cast<std::uint64_t>(rank.kind) << bits | begin;
}

struct Begun {
  std::uint64_t beginning;
  std::uint32_t index;
};

// Places 0, 1, 2 ... for ranks: equal ones share a place, and what is missing has place 0.
Ranks places_of(const std::vector<Rank>& ranks) {
  std::vector<Begun> sorted(ranks.size());
  for (std::uint32_t i = 0; i < sorted.size(); ++i)
    sorted[i] = {beginning_of(ranks[i]), i};
  std::ranges::sort(sorted, [&](const Begun& a, const Begun& b) {
    return a.beginning != b.beginning ? a.beginning < b.beginning : ranks[a.index] < ranks[b.index];
  });
  Ranks places(ranks.size());
  const Rank missing;
  const Rank* last = &missing;
  std::uint32_t place = 0;
  for (const Begun& begun : sorted) {
    if (compare(*last, ranks[begun.index]) != 0) ++place;
    last = &ranks[begun.index];
    places[begun.index] = place;
  }
  return places;
}

Ranks places_of_codes(const FieldValues& values) {
  std::vector<Rank> ranks;
  ranks.reserve(values.value_count() + std::size_t{1});
  for (std::uint32_t code = 0; code <= values.value_count(); ++code)
    ranks.push_back(rank_of(values.of_code(code), values.field()));
  return places_of(ranks);
}

// The place of each row among the matches, out of the places of codes.
Ranks look_up(std::span<const std::uint32_t> places,
              const FieldValues& values,
              const std::vector<std::uint32_t>& matches) {
  Ranks found(matches.size());
  for (std::size_t i = 0; i < matches.size(); ++i)
    found[i] = places[values.codes()[matches[i]]];
  return found;
}

// The same for a dictionary that is larger than the matches: only values that occur are ranked.
Result<Ranks> rank_each(const FieldValues& values, const std::vector<std::uint32_t>& matches) {
  std::vector<Rank> ranks;
  ranks.reserve(matches.size());
  for (std::uint32_t row : matches) {
    Result<Value> value = values.of_row(row);
    if (!value) return value.error();
    ranks.push_back(rank_of(*value, values.field()));
  }
  return places_of(ranks);
}

Result<Ranks> rank_matches(const Table& table,
                           const Field& field,
                           const std::vector<std::uint32_t>& matches) {
  FieldValues values(table, field);
  if (field.source == Field::Source::id) return matches;  // rows are in natural order of ids
  if (!values.kept_ranks().empty()) return look_up(values.kept_ranks(), values, matches);
  if (values.coded() && values.value_count() <= matches.size()) {
    return look_up(places_of_codes(values), values, matches);
  }
  return rank_each(values, matches);
}

struct Sortable {
  std::uint64_t key;
  std::uint32_t row;
  auto operator<=>(const Sortable&) const = default;
};

// Keys of several sorts become one number, the first sort its highest digit. Where the digits
// would not fit in 64 bits, the keys so far are numbered anew; there are fewer than 2^32 of them.
class KeyFolder {
 public:
  explicit KeyFolder(std::size_t count) : keys_(count, 0) {}

  void fold(const Ranks& ranks, Direction direction) {
    std::uint64_t radix = 1;
    for (std::uint32_t rank : ranks)
      radix = std::max(radix, std::uint64_t{rank} + 1);
    if (largest_ > std::numeric_limits<std::uint64_t>::max() / radix - 1) renumber();
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      std::uint64_t rank = direction == Direction::ascending ? ranks[i] : radix - 1 - ranks[i];
      keys_[i] = keys_[i] * radix + rank;
    }
    largest_ = largest_ * radix + radix - 1;
  }

  const std::vector<std::uint64_t>& keys() const { return keys_; }

 private:
  void renumber() {
    std::vector<std::uint64_t> distinct = keys_;
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (std::uint64_t& key : keys_) {
      key = static_cast<std::uint64_t>(std::ranges::lower_bound(distinct, key) - distinct.begin());
    }
    largest_ = distinct.size();
  }

  std::vector<std::uint64_t> keys_;
  std::uint64_t largest_ = 0;
};

}  // namespace

Result<std::vector<std::uint32_t>> sorted_page(const Table& table,
                                               const Order& order,
                                               std::vector<std::uint32_t> matches,
                                               Page page) {
  std::size_t skipped = page.skipped(matches.size());
  std::size_t held = page.held(matches.size());
  auto at = [](std::size_t place) { return static_cast<std::ptrdiff_t>(place); };
  if (order.empty() || held == 0) {
    return std::vector<std::uint32_t>(matches.begin() + at(skipped),
                                      matches.begin() + at(skipped + held));
  }
  KeyFolder folder(matches.size());
  for (const SortBy& by : order) {
    Result<Ranks> ranks = rank_matches(table, by.field, matches);
    if (!ranks) return ranks.error();
    folder.fold(*ranks, by.direction);
  }
  std::vector<Sortable> sortable(matches.size());
  for (std::size_t i = 0; i < matches.size(); ++i)
    sortable[i] = {folder.keys()[i], matches[i]};
  std::ranges::partial_sort(sortable, sortable.begin() + at(skipped + held));
  std::vector<std::uint32_t> rows;
  rows.reserve(held);
  for (std::size_t i = skipped; i < skipped + held; ++i)
    rows.push_back(sortable[i].row);
  return rows;
}

std::vector<std::uint32_t> rank_values(const Table& table,
                                       const Schema& schema,
                                       std::size_t column) {
  Result<Field> field = bind_field(schema.columns[column].id, schema);
  return places_of_codes(FieldValues(table, *field));
}

}  // namespace notesdb
