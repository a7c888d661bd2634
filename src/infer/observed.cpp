#include "infer/observed.h"

#include <algorithm>
#include <iterator>

#include "core/date.h"
#include "core/link.h"
#include "core/text.h"
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

bool is_number_like_name(std::string_view text) {
  const auto digits = std::ranges::count_if(text, is_digit);
  const bool is_all_digits = static_cast<std::size_t>(digits) == text.size();
  if (is_all_digits && (text.size() >= 10 || (text.size() > 1 && text.front() == '0'))) return true;
  const std::size_t dot = text.find('.');
  return dot != std::string_view::npos && text.size() > dot + 2 && text.ends_with('0');
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

}  // namespace notesdb
