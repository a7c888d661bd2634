#include "infer/infer_column.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/date.h"
#include "core/date_format.h"
#include "core/link.h"
#include "core/text.h"
#include "infer/spelling.h"
#include "yaml/scalar.h"

namespace notesdb {

namespace {

bool is_link(std::string_view text) {
  const bool may_be = text.starts_with("[") && (text.ends_with("]") || text.ends_with(")"));
  return may_be && parse_link(text).has_value();
}

bool is_url(std::string_view text) {
  return (text.starts_with("http://") || text.starts_with("https://")) &&
         text.find(' ') == std::string_view::npos;
}

// Quotes around digits or a word say that it is text.
Look look_of(const Node& node) {
  if (node.is_null()) return Look::empty;
  return node.style == NodeStyle::plain ? look_of_plain(node.text) : look_of_text(node.text);
}

Observation observe_node(const Node& node) {
  Observation seen;
  if (node.is_map()) {
    seen.look = Look::map;
  } else if (node.is_scalar()) {
    seen.look = look_of(node);
    seen.text = node.text;
    seen.is_decimal = node.style == NodeStyle::plain && read_untyped_plain(node.text).is_real();
  } else {
    seen.is_list = true;
    for (const Node& item : node.items) {
      if (!item.is_scalar()) {
        seen.look = Look::map;
        break;
      }
      if (item.is_null()) continue;
      seen.look = Look::list;
      seen.items.push_back(item.text);
    }
  }
  return seen;
}

// Digits that are a name, not a number: leading zeros, 1.10, ISBNs.
bool is_number_like_name(std::string_view text) {
  const auto digits = std::ranges::count_if(text, is_digit);
  const bool is_all_digits = static_cast<std::size_t>(digits) == text.size();
  if (is_all_digits && (text.size() >= 10 || (text.size() > 1 && text.front() == '0'))) return true;
  const std::size_t dot = text.find('.');
  return dot != std::string_view::npos && text.size() > dot + 2 && text.ends_with('0');
}

}  // namespace

Look look_of_text(std::string_view text) {
  if (text.empty()) return Look::empty;
  if (const auto moment = parse_moment(text)) return moment->has_time ? Look::datetime : Look::date;
  if (is_url(text)) return Look::url;
  return is_link(text) ? Look::link : Look::text;
}

Look look_of_plain(std::string_view text) {
  const Value value = read_untyped_plain(text);
  if (value.is_boolean()) return Look::checkbox;
  if (value.is_number() && !is_number_like_name(text)) return Look::number;
  return look_of_text(text);
}

void observe(const Note& note, std::uint32_t file, Observed& observed) {
  std::vector<std::string> order;
  for (const NoteField& field : note.fields()) {
    const bool is_first = note.find_field(field.key) == &field;
    if (!is_first) continue;
    order.push_back(field.key);
    ObservedKey& key = observed.keys[field.key];
    if (!field.readable) {
      ++key.unreadable;
      continue;
    }
    Observation seen = observe_node(field.node);
    seen.file = file;
    seen.line = field.line;
    seen.column = field.column;
    key.values.push_back(std::move(seen));
  }
  ++observed.orders[std::move(order)];
}

std::vector<std::string> keys_in_order(const Observed& observed) {
  using Order = std::pair<const std::vector<std::string>, std::size_t>;
  std::vector<const Order*> orders;
  for (const Order& order : observed.orders)
    orders.push_back(&order);
  std::ranges::stable_sort(orders, [](const Order* a, const Order* b) {
    return std::pair(a->second, a->first.size()) > std::pair(b->second, b->first.size());
  });
  std::vector<std::string> keys;
  for (const Order* order : orders) {
    auto place = keys.end();  // of the next key that is new; after the last known one
    for (const std::string& key : order->first) {
      const auto known = std::ranges::find(keys, key);
      place = known != keys.end() ? known + 1 : keys.insert(place, key) + 1;
    }
  }
  return keys;
}

void absorb(Observed&& more, Observed& observed) {
  for (auto& [name, key] : more.keys) {
    ObservedKey& into = observed.keys[name];
    into.unreadable += key.unreadable;
    std::ranges::move(key.values, std::back_inserter(into.values));
  }
  for (const auto& [order, count] : more.orders)
    observed.orders[order] += count;
}

namespace {

using Counts = std::map<std::string, std::size_t>;

constexpr std::size_t look_count = static_cast<std::size_t>(Look::map) + 1;

struct Tally {
  std::array<std::size_t, look_count> by_look{};
  std::size_t filled = 0;
  bool has_empty_list = false;

  explicit Tally(const ObservedKey& seen) {
    for (const Observation& value : seen.values) {
      ++by_look[static_cast<std::size_t>(value.look)];
      if (value.look != Look::empty)
        ++filled;
      else if (value.is_list)
        has_empty_list = true;
    }
  }
  std::size_t of(Look look) const { return by_look[static_cast<std::size_t>(look)]; }
  // Four of five: then the rest are exceptions rather than a kind of their own.
  bool mostly(std::size_t count) const { return count > 0 && count * 5 >= filled * 4; }
};

ColumnType type_of(const Tally& tally) {
  if (tally.filled == 0) return tally.has_empty_list ? ColumnType::list : ColumnType::text;
  const std::size_t lists = tally.of(Look::list);
  if (tally.mostly(tally.of(Look::map)) || tally.of(Look::map) * 2 > tally.filled)
    return ColumnType::json;
  // Text cannot stand in for a list, so two of three are enough.
  if (lists > 0 && lists * 3 >= tally.filled * 2) return ColumnType::list;
  if (tally.mostly(tally.of(Look::checkbox))) return ColumnType::checkbox;
  if (tally.mostly(tally.of(Look::number))) return ColumnType::number;
  const std::size_t times = tally.of(Look::datetime);
  if (tally.mostly(times + tally.of(Look::date)))
    return times > 0 ? ColumnType::datetime : ColumnType::date;
  if (tally.mostly(tally.of(Look::url))) return ColumnType::url;
  // Lists or maps beside other values: only json holds both.
  if ((lists + tally.of(Look::map)) * 5 > tally.filled) return ColumnType::json;
  return ColumnType::text;
}

bool fits(const Observation& value, const Column& column) {
  if (value.look == Look::empty) return true;
  switch (column.type) {
    case ColumnType::json: return true;
    case ColumnType::list:
    case ColumnType::multi_select: return value.look == Look::list;
    case ColumnType::checkbox: return value.look == Look::checkbox;
    case ColumnType::number:
      if (!column.number_format.is_plain())
        return to_plain_number(value.text, column.number_format).has_value();
      return value.look == Look::number || value.is_decimal;
    case ColumnType::date:
    case ColumnType::datetime:
      return value.look != Look::list && value.look != Look::map &&
             parse_written_date(column, value.text).has_value();
    case ColumnType::url: return value.look == Look::url;
    case ColumnType::relation:
      if (column.multiple) return value.look == Look::list;
      [[fallthrough]];
    default: return value.look != Look::list && value.look != Look::map;
  }
}

Counts count_texts(const ObservedKey& seen, const Column& column) {
  Counts counts;
  for (const Observation& value : seen.values) {
    if (column.type == ColumnType::list) {
      for (const std::string& item : value.items)
        ++counts[item];
    } else if (value.look != Look::empty && fits(value, column)) {
      ++counts[value.text];
    }
  }
  return counts;
}

// The spelling that most rows use, for every text that differs only in case.
std::map<std::string, std::string> usual_spellings(const Counts& counts) {
  std::map<std::string, std::string> usual;
  for (const auto& [text, count] : counts) {
    std::string& best = usual[fold_case(text)];
    if (best.empty() || counts.at(best) < count) best = text;
  }
  return usual;
}

bool is_one_word_or_two(const std::string& text) {
  constexpr std::size_t longest = 40;
  return !text.empty() && text.size() <= longest && text.find('\n') == std::string::npos &&
         std::ranges::count(text, ' ') <= 3;
}

// Few values that repeat are options; most of them more than once, or they are names.
bool are_options(const Counts& counts, std::size_t max_options, std::size_t times) {
  std::size_t total = 0;
  std::size_t once = 0;
  for (const auto& [text, count] : counts) {
    if (!is_one_word_or_two(text) || text.find('[') != std::string::npos) return false;
    total += count;
    if (count == 1) ++once;
  }
  return counts.size() >= 2 && counts.size() <= max_options && total >= counts.size() * times &&
         total >= 8 && once * 3 <= counts.size();
}

std::vector<std::string> options_of(const Counts& counts) {
  std::vector<std::string> options;
  for (const auto& [folded, text] : usual_spellings(counts))
    options.push_back(text);
  std::ranges::stable_sort(
      options, [&](const auto& a, const auto& b) { return counts.at(a) > counts.at(b); });
  return options;
}

void take_options(Column& column, const Counts& counts) {
  if (column.type == ColumnType::text && are_options(counts, 16, 3)) {
    column.type = ColumnType::select;
    column.options = options_of(counts);
  } else if (column.type == ColumnType::list && are_options(counts, 60, 4)) {
    column.type = ColumnType::multi_select;
    column.options = options_of(counts);
  }
}

void take_target(Column& column, const Tally& tally, const Counts& counts, const FindTarget& find) {
  const bool may_be = column.type == ColumnType::text || column.type == ColumnType::list;
  if (!may_be || counts.empty()) return;
  const bool is_linked = tally.mostly(tally.of(Look::link));
  if (!is_linked && counts.size() < 3) return;
  std::vector<std::string> texts;
  for (const auto& [text, count] : counts)
    texts.push_back(text);
  auto target = find(texts);
  if (!target) return;
  column.multiple = column.type == ColumnType::list;
  column.type = ColumnType::relation;
  column.target = std::move(*target);
}

bool are_all_different(const Counts& counts) {
  return std::ranges::all_of(counts, [](const auto& entry) { return entry.second == 1; });
}

std::string shown(const Observation& value) {
  if (value.look == Look::list) return "a list";
  if (value.look == Look::map) return "a map";
  return to_display(Value(value.text));
}

// "a date"; of two words where the name of the type is no noun.
std::string with_article(const Column& column) {
  if (column.holds_list()) return "a list";
  switch (column.type) {
    case ColumnType::checkbox: return "true or false";
    case ColumnType::url: return "a web address";
    case ColumnType::text: return "text";
    case ColumnType::relation: return "the name of a row";
    case ColumnType::datetime: return "a date with a time";
    default: return "a " + std::string(name_of(column.type));
  }
}

void find_invalid_values(const ObservedKey& seen, InferredColumn& inferred) {
  const Column& column = inferred.column;
  const bool holds_list = column.holds_list();
  for (const Observation& value : seen.values) {
    if (!fits(value, column)) {
      inferred.invalid_values.push_back(
          {&value,
           column.id + " is " + shown(value) + ", where most rows hold " + with_article(column)});
      continue;
    }
    if (column.options.empty() || value.look == Look::empty) continue;
    const auto texts = holds_list ? value.items : std::vector<std::string>{value.text};
    for (const std::string& text : texts) {
      if (std::ranges::find(column.options, text) != column.options.end()) continue;
      inferred.invalid_values.push_back(
          {&value, column.id + " is spelled '" + text + "', where most rows spell it otherwise"});
    }
  }
}

}  // namespace

namespace {

// Numbers, some of them with zeros at their ends: an amount where all have as many decimals, else
// names, as of versions.
bool are_decimals(const ObservedKey& seen) {
  const auto is_number = [](const Observation& value) {
    return value.look == Look::empty || value.look == Look::number || value.is_decimal;
  };
  return std::ranges::all_of(seen.values, is_number) &&
         std::ranges::any_of(seen.values, [](const Observation& value) {
           return value.is_decimal && value.look != Look::number;
         });
}

std::vector<std::string_view> texts_of(const ObservedKey& seen) {
  std::vector<std::string_view> texts;
  for (const Observation& value : seen.values)
    if (value.look != Look::empty && value.look != Look::list && value.look != Look::map)
      texts.push_back(value.text);
  return texts;
}

// What the spelling of the texts says of their type.
void take_spelling(const ObservedKey& seen, const Tally& tally, InferredColumn& inferred) {
  Column& column = inferred.column;
  const std::vector<std::string_view> texts = texts_of(seen);
  if (are_decimals(seen)) {
    column.decimals = find_decimals(texts);
    column.type = column.decimals ? ColumnType::number : ColumnType::text;
    return;
  }
  if (column.type != ColumnType::text || !tally.mostly(texts.size())) return;
  if (auto amounts = find_amounts(texts)) {
    column.type = ColumnType::number;
    column.decimals = amounts->decimals;
    column.number_format = std::move(amounts->format);
    return;
  }
  const Spelling dates = find_date_spelling(column.id, texts);
  column.type = dates.type;
  if (!dates.format.empty()) column.formats = {dates.format};
  if (dates.open.empty()) return;
  const auto first = std::ranges::find_if(
      seen.values, [&](const Observation& value) { return !value.text.empty(); });
  inferred.invalid_values.push_back({&*first,
                                     column.id + " holds dates that may be " + dates.open[0] +
                                         " or " + dates.open[1] +
                                         "; declare type: date with one of them as format"});
}

}  // namespace

InferredColumn infer_column(const std::string& key,
                            const ObservedKey& seen,
                            std::size_t notes,
                            const FindTarget& find_target,
                            std::optional<ColumnType> chosen) {
  InferredColumn inferred;
  Column& column = inferred.column;
  const Tally tally(seen);
  column.id = column.name = key;
  column.type = chosen ? *chosen : type_of(tally);
  if (!chosen) take_spelling(seen, tally, inferred);
  const Counts counts = count_texts(seen, column);
  take_target(column, tally, counts, find_target);
  if (!chosen) take_options(column, counts);
  column.type_name = name_of(column.type);
  const bool is_everywhere = tally.filled + seen.unreadable == notes;
  column.required = is_everywhere && notes >= 3 && tally.filled > 0;
  column.unique = column.required && key == "id" && are_all_different(counts);
  find_invalid_values(seen, inferred);
  return inferred;
}

}  // namespace notesdb
