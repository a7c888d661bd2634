#include "query/order.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/budget.h"
#include "core/text.h"
#include "query/argument.h"
#include "query/comparison.h"

namespace notesdb {

namespace {

constexpr std::string_view shape = "a sort is {\"field\": ..., \"direction\": \"asc\" or \"desc\"}";

Error wrong_shape(const std::string& message) {
  return Error{ErrorCode::invalid_argument, message + "; " + std::string(shape), Map{}};
}

// Reads sorts and gathers everything that is wrong with them.
class SortParser {
 public:
  explicit SortParser(const IsName& is_name) : is_name_(is_name) {}

  Result<std::vector<SortKeyText>> parse(const Value& given) {
    for (const Value& element : elements_of(given)) {
      if (element.is_text()) {
        add_texts(element.text());
      } else {
        add_map(element);
      }
    }
    if (!errors_.empty()) return join(errors_);
    return std::move(keys_);
  }

 private:
  // "due desc, title"
  void add_texts(std::string_view text) {
    if (is_name_(text)) return add({std::string(text)});
    while (true) {
      const std::size_t comma = text.find(',');
      if (const std::string_view one = trimmed(text.substr(0, comma)); !one.empty()) add_text(one);
      if (comma == std::string_view::npos) return;
      text.remove_prefix(comma + 1);
    }
  }

  // A sign before the name, or words after it, apart from it by a colon or a space.
  void add_text(std::string_view text) {
    SortKeyText key;
    if (text.starts_with('-') && !is_name_(text)) {
      key.direction = Direction::descending;
      text = trimmed(text.substr(1));
    }
    while (!is_name_(text)) {
      const std::size_t end = text.find_last_of(": \t");
      if (end == std::string_view::npos) break;
      const std::string_view before = trimmed(text.substr(0, end));
      const std::string_view word = trimmed(text.substr(end + 1));
      if (!take(word, key)) {
        // Only after a name it is a direction that is misspelt; else the name is.
        if (!is_name_(before)) break;
        return fail(unknown_name(ErrorCode::invalid_argument, "direction", word, words()));
      }
      text = before;
    }
    key.field = text;
    add(std::move(key));
  }

  static std::vector<std::string> words() { return {"asc", "desc"}; }

  // Whether a word says how to sort.
  static bool take(std::string_view word, SortKeyText& key) {
    const std::string folded = fold_case(word);
    if (folded == "options") {
      key.by_options = true;
    } else if (folded == "desc") {
      key.direction = Direction::descending;
    } else {
      return folded == "asc";
    }
    return true;
  }

  void add_map(const Value& given) {
    if (!given.is_map()) return fail(wrong_shape(to_display(given) + " is not a sort"));
    bool knows_all = true;
    for (const Member& member : given.map()) {
      if (member.key == "field" || member.key == "direction") continue;
      knows_all = false;
      Error error =
          unknown_name(ErrorCode::invalid_argument, "sort key", member.key, {"field", "direction"});
      if (error.data.find("nearest") == nullptr)
        error.message += R"(; a sort is {"field": ..., "direction": "desc"})";
      fail(std::move(error));
    }
    const Value* field = given.find("field");
    if (field == nullptr || !field->is_text()) {
      if (knows_all) fail(wrong_shape("the 'field' of sort " + to_display(given) + " is missing"));
      return;
    }
    SortKeyText key{field->text()};
    constexpr std::string_view options = ":options";
    if (!is_name_(key.field) && key.field.ends_with(options)) {
      key.by_options = true;
      key.field.resize(key.field.size() - options.size());
    }
    const Value* direction = given.find("direction");
    if (direction != nullptr && !is_absent(*direction)) {
      Result<Direction> parsed = parse_direction(*direction);
      if (!parsed) return fail(parsed.error());
      key.direction = *parsed;
    }
    add(std::move(key));
  }

  void add(SortKeyText key) { keys_.push_back(std::move(key)); }
  void fail(Error error) { errors_.push_back(std::move(error)); }

  const IsName& is_name_;
  std::vector<SortKeyText> keys_;
  std::vector<Error> errors_;
};

}  // namespace

Result<Direction> parse_direction(const Value& given) {
  if (given == Value("asc")) return Direction::ascending;
  if (given == Value("desc")) return Direction::descending;
  std::string shown = given.is_text() ? given.text() : to_display(given);
  return unknown_name(ErrorCode::invalid_argument, "direction", shown, {"asc", "desc"});
}

Result<std::vector<SortKeyText>> parse_sort(const Value& given, const IsName& is_name) {
  return SortParser(is_name).parse(given);
}

Result<Order> parse_order(const Value& given, const Schema& schema) {
  const auto is_name = [&](std::string_view name) {
    return static_cast<bool>(bind_field(name, schema));
  };
  Result<std::vector<SortKeyText>> keys = parse_sort(given, is_name);
  if (!keys) return keys.error();
  Order order;
  std::vector<Error> errors;
  for (const SortKeyText& key : *keys) {
    Result<Field> field = bind_field(key.field, schema);
    if (!field) {
      errors.push_back(field.error());
    } else if (key.by_options && field->options.empty()) {
      errors.push_back(Error{
          ErrorCode::invalid_argument,
          "'" + key.field + "' is " + std::string(kind_of(*field)) +
              " and has no options to sort by",
          Map{}}.with("field", key.field));
    } else {
      field->by_options = key.by_options;
      order.push_back({*std::move(field), key.direction});
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
  std::uint32_t compared = 0;
  std::ranges::sort(sorted, [&](const Begun& a, const Begun& b) {
    Budget::look_rarely(compared);
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
  Budget::take(values.value_count() * sizeof(Rank));
  ranks.reserve(values.value_count() + std::size_t{1});
  std::uint32_t ranked = 0;
  for (std::uint32_t code = 0; code <= values.value_count(); ++code) {
    Budget::look_rarely(ranked);
    ranks.push_back(rank_of(values.of_code(code), values.field()));
    Budget::take(ranks.back().text.size());
  }
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
  Budget::take(matches.size() * sizeof(Rank));
  ranks.reserve(matches.size());
  for (std::uint32_t row : matches) {
    Budget::look();
    Result<Value> value = values.of_row(row);
    if (!value) return value.error();
    ranks.push_back(rank_of(*value, values.field()));
    Budget::take(ranks.back().text.size());
  }
  return places_of(ranks);
}

Result<Ranks> rank_matches(const Table& table,
                           const Field& field,
                           const std::vector<std::uint32_t>& matches) {
  FieldValues values(table, field);
  if (field.source == Field::Source::id) return matches;  // rows are in natural order of ids
  if (!values.rank_index().empty()) return look_up(values.rank_index(), values, matches);
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
// would not fit in 64 bits, the keys so far are numbered again; there are fewer than 2^32 of them.
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
  constexpr std::size_t bytes_of_key =
      sizeof(std::uint64_t) + sizeof(Sortable) + sizeof(Ranks::value_type);
  Budget::take(matches.size() * bytes_of_key);
  KeyFolder folder(matches.size());
  for (const SortBy& by : order) {
    Result<Ranks> ranks = rank_matches(table, by.field, matches);
    if (!ranks) return ranks.error();
    folder.fold(*ranks, by.direction);
  }
  std::vector<Sortable> sortable(matches.size());
  for (std::size_t i = 0; i < matches.size(); ++i)
    sortable[i] = {folder.keys()[i], matches[i]};
  Budget::look();
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
