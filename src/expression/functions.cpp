#include "expression/functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/link.h"
#include "core/text.h"
#include "expression/date_text.h"
#include "expression/evaluation.h"
#include "expression/failure.h"
#include "expression/fields.h"
#include "expression/regexp.h"
#include "expression/text_parts.h"

namespace notesdb::expression {

namespace {

std::string quoted(std::string_view text) {
  return "\"" + std::string(text.substr(0, 200)) + "\"";
}

// A text that a function has made.
Value made(const Call& call, std::string text) {
  call.evaluation.take_bytes(text.size());
  return text;
}

Value made_list(const Call& call, std::vector<Value> items) {
  call.evaluation.take_bytes(items.size() * sizeof(Value));
  call.evaluation.spend_steps(items.size() / 8);
  return Value::list_of(std::move(items));
}

// ---- global

Value escape_html(const Call& call) {
  std::string escaped;
  for (const char c : call.text(0)) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += c;
    }
  }
  return made(call, std::move(escaped));
}

Value make_date(const Call& call) {
  const Value given = call.value(0);
  if (given.is(Kind::date) || is_empty(given)) return given.is(Kind::date) ? given : Value();
  if (given.is(Kind::number)) {
    constexpr double max_milliseconds = 2.5e14;
    if (std::fabs(given.number()) > max_milliseconds)
      throw Failure("the date is beyond the years 0 to 9999");
    return Date{static_cast<std::int64_t>(given.number()), true};
  }
  const std::string text = call.evaluation.text_of(given);
  const auto date = parse_date(text, call.evaluation.zone());
  if (!date) throw Failure("Unable to parse " + quoted(text) + " as a date.");
  return *date;
}

Value make_duration(const Call& call) {
  const Value given = call.value(0);
  if (given.is_null() || given.is(Kind::duration)) return given;
  if (given.is(Kind::number)) return Duration{.milliseconds = given.number()};
  const std::string text = call.evaluation.text_of(given);
  const auto duration = parse_duration(text);
  if (!duration) throw Failure("Unable to parse " + quoted(text) + " as a duration.");
  return *duration;
}

Value find_file(const Call& call) {
  FilePointer file = call.evaluation.file_of(call.value(0));
  return file == nullptr ? Value() : Value(std::move(file));
}

Value drawn(const Call& call, Kind kind) {
  const Value given = call.value(0);
  if (given.is_null()) return {};
  return Drawn{kind, given.is(Kind::link) ? given.link().target : call.evaluation.text_of(given)};
}

Value make_html(const Call& call) {
  return drawn(call, Kind::html);
}
Value make_image(const Call& call) {
  return drawn(call, Kind::image);
}
Value make_icon(const Call& call) {
  return drawn(call, Kind::icon);
}

Value choose(const Call& call) {
  return call.value(is_truthy(call.value(0)) ? 1 : 2);
}

Value make_link(const Call& call) {
  const Value given = call.value(0);
  if (given.is_null()) return {};
  Link link;
  if (given.is(Kind::link))
    link = given.link();
  else if (given.is(Kind::file))
    link.target = given.file().path();
  else
    link.target = call.evaluation.text_of(given);
  const Value read = value_of_field(link.target, "", call.evaluation.zone());
  if (read.is(Kind::link)) link = read.link();
  if (call.has(1)) link.display = call.text(1);
  return link;
}

Value make_list(const Call& call) {
  Value given = call.value(0);
  if (given.is(Kind::list)) return given;
  if (given.is_null()) return Value::list_of({});
  return Value::list_of({std::move(given)});
}

Value extreme(const Call& call, int wanted) {
  std::optional<double> best;
  for (std::size_t i = 0; call.has(i); ++i) {
    const Value value = call.value(i);
    if (value.is_null()) continue;
    const double number = call.evaluation.number_of(value);
    if (!best || (wanted < 0 ? number < *best : number > *best)) best = number;
  }
  return best ? Value(*best) : Value();
}

Value largest(const Call& call) {
  return extreme(call, 1);
}
Value smallest(const Call& call) {
  return extreme(call, -1);
}

Value now_date(const Call& call) {
  return call.evaluation.environment().now;
}

Value make_number(const Call& call) {
  const Value given = call.value(0);
  return given.is_null() ? Value() : Value(call.evaluation.number_of(given));
}

Value random_number(const Call& call) {
  return call.evaluation.next_random();
}

Value today_date(const Call& call) {
  return start_of_day(call.evaluation.environment().now, call.evaluation.zone());
}

// ---- any

Value truth_of(const Call& call) {
  return is_truthy(call.self);
}

Value has_type(const Call& call) {
  return fold_case(name_of(call.self.kind())) == fold_case(call.text(0));
}

Value to_string(const Call& call) {
  if (call.self.is_null()) return {};
  return made(call, call.evaluation.text_of(call.self));
}

Value emptiness(const Call& call) {
  return is_empty(call.self);
}

// ---- date

Value date_part(const Call& call) {
  return start_of_day(call.self.date(), call.evaluation.zone());
}

Value format_of(const Call& call) {
  const std::string format = call.has(0) ? call.text(0) : "YYYY-MM-DDTHH:mm:ssZ";
  constexpr std::size_t max_format = 1'000;
  if (format.size() > max_format)
    throw Failure("format() takes at most 1000 characters", ErrorCode::limit_exceeded);
  return made(call, formatted(call.self.date(), format, call.evaluation.zone()));
}

Value time_part(const Call& call) {
  return formatted(call.self.date(), "HH:mm:ss", call.evaluation.zone());
}

Value relative(const Call& call) {
  return relative_text(call.self.date(), call.evaluation.environment().now, call.evaluation.zone());
}

// ---- string

Value text_contains(const Call& call) {
  return call.self.string().find(call.text(0)) != std::string::npos;
}

Value text_contains_all(const Call& call) {
  for (std::size_t i = 0; call.has(i); ++i)
    if (call.self.string().find(call.text(i)) == std::string::npos) return false;
  return true;
}

Value text_contains_any(const Call& call) {
  for (std::size_t i = 0; call.has(i); ++i)
    if (call.self.string().find(call.text(i)) != std::string::npos) return true;
  return false;
}

Value text_starts(const Call& call) {
  return call.self.string().starts_with(call.text(0));
}
Value text_ends(const Call& call) {
  return call.self.string().ends_with(call.text(0));
}
Value text_lower(const Call& call) {
  return made(call, lower_case(call.self.string()));
}
Value text_title(const Call& call) {
  return made(call, title_case(call.self.string()));
}

std::string all_replaced(const Call& call,
                         const std::string& pattern,
                         const std::string& replacement) {
  const std::string& text = call.self.string();
  if (pattern.empty()) return replacement + text;
  std::string result;
  std::size_t at = 0;
  for (std::size_t found = text.find(pattern); found != std::string::npos;
       found = text.find(pattern, at)) {
    result += text.substr(at, found - at) + replacement;
    at = found + pattern.size();
    if (result.size() > max_bytes) call.evaluation.take_bytes(result.size());
  }
  return result + text.substr(at);
}

Value text_replace(const Call& call) {
  const Value pattern = call.value(0);
  const std::string replacement = call.text(1);
  if (!pattern.is(Kind::regexp))
    return made(call, all_replaced(call, call.evaluation.text_of(pattern), replacement));
  call.evaluation.spend_steps(pattern.regexp().cost(call.self.string().size()));
  return made(call, pattern.regexp().replaced(call.self.string(), replacement, max_bytes));
}

Value text_repeat(const Call& call) {
  const double count = call.number(0);
  if (!(count >= 0)) throw Failure("repeat() takes a number of at least 0");
  const double bytes = std::floor(count) * static_cast<double>(call.self.string().size());
  if (bytes > static_cast<double>(max_bytes))
    throw Failure("repeat() would make more than 16 MiB", ErrorCode::limit_exceeded);
  std::string text;
  for (std::size_t i = 0; bytes > 0 && i < static_cast<std::size_t>(count); ++i)
    text += call.self.string();
  return made(call, std::move(text));
}

Value text_reverse(const Call& call) {
  return made(call, reversed(call.self.string()));
}

// Where a part begins and ends; a negative index counts from the end.
struct Part {
  std::size_t begin;
  std::size_t end;
};

Part part_of(const Call& call, std::size_t size) {
  const auto place = [size](double index) {
    const double count = static_cast<double>(size);
    if (std::isnan(index)) return std::size_t{0};
    const double from_begin =
        index < 0 ? std::max(0.0, std::trunc(index) + count) : std::trunc(index);
    return static_cast<std::size_t>(std::min(from_begin, count));
  };
  const std::size_t begin = place(call.number(0));
  const Value end = call.has(1) ? call.value(1) : Value();
  return {begin, std::max(begin, end.is_null() ? size : place(call.evaluation.number_of(end)))};
}

Value text_slice(const Call& call) {
  const Part part = part_of(call, character_count(call.self.string()));
  return made(call, characters(call.self.string(), part.begin, part.end));
}

Value text_split(const Call& call) {
  const Value separator = call.value(0);
  std::size_t max_pieces = std::numeric_limits<std::size_t>::max();
  if (call.has(1) && call.number(1) >= 0)
    max_pieces = static_cast<std::size_t>(std::min(call.number(1), 1e9));
  std::vector<std::string> pieces;
  if (separator.is(Kind::regexp)) {
    call.evaluation.spend_steps(separator.regexp().cost(call.self.string().size()));
    pieces = separator.regexp().split(call.self.string(), max_pieces);
  } else {
    pieces = split_text(call.self.string(), call.evaluation.text_of(separator), max_pieces);
  }
  call.evaluation.take_bytes(call.self.string().size() + pieces.size() * sizeof(std::string));
  std::vector<Value> items;
  items.reserve(pieces.size());
  for (std::string& piece : pieces)
    items.emplace_back(std::move(piece));
  return made_list(call, std::move(items));
}

Value text_trim(const Call& call) {
  return made(call, std::string(trimmed(call.self.string())));
}

// ---- number

Value number_abs(const Call& call) {
  return std::fabs(call.self.number());
}
Value number_ceil(const Call& call) {
  return std::ceil(call.self.number());
}
Value number_floor(const Call& call) {
  return std::floor(call.self.number());
}

// Halves go up, as in JavaScript.
Value number_round(const Call& call) {
  const double digits = call.has(0) ? call.number(0) : 0;
  constexpr double max_digits = 100;
  if (!(std::fabs(digits) <= max_digits)) throw Failure("round() takes -100 to 100 digits");
  const double factor = std::pow(10, std::trunc(digits));
  const double scaled = call.self.number() * factor;
  return std::isfinite(scaled) ? std::floor(scaled + 0.5) / factor : call.self.number();
}

Value number_fixed(const Call& call) {
  const double digits = call.has(0) ? call.number(0) : 0;
  constexpr double max_digits = 100;
  if (!(digits >= 0 && digits <= max_digits)) throw Failure("toFixed() takes 0 to 100 digits");
  std::array<char, 512> buffer{};
  const int length = std::snprintf(
      buffer.data(), buffer.size(), "%.*f", static_cast<int>(digits), call.self.number());
  return made(call, std::string(buffer.data(), static_cast<std::size_t>(length)));
}

// ---- list

bool contains(const Call& call, const Value& wanted) {
  return std::ranges::any_of(
      call.self.list(), [&](const Value& item) { return call.evaluation.are_equal(item, wanted); });
}

Value list_contains(const Call& call) {
  return contains(call, call.value(0));
}

Value list_contains_all(const Call& call) {
  for (std::size_t i = 0; call.has(i); ++i)
    if (!contains(call, call.value(i))) return false;
  return true;
}

Value list_contains_any(const Call& call) {
  for (std::size_t i = 0; call.has(i); ++i)
    if (contains(call, call.value(i))) return true;
  return false;
}

Value list_filter(const Call& call) {
  std::vector<Value> kept;
  double index = 0;
  for (const Value& item : call.self.list())
    if (is_truthy(call.evaluation.evaluate_for(call.arguments[0], {item, index++})))
      kept.push_back(item);
  return made_list(call, std::move(kept));
}

Value list_map(const Call& call) {
  std::vector<Value> mapped;
  double index = 0;
  for (const Value& item : call.self.list())
    mapped.push_back(call.evaluation.evaluate_for(call.arguments[0], {item, index++}));
  return made_list(call, std::move(mapped));
}

Value list_reduce(const Call& call) {
  Value carried = call.value(1);
  double index = 0;
  for (const Value& item : call.self.list())
    carried = call.evaluation.evaluate_for(call.arguments[0], {item, index++, carried});
  return carried;
}

Value list_mean(const Call& call) {
  double sum = 0;
  double count = 0;
  for (const Value& item : call.self.list()) {
    if (!item.is(Kind::number)) continue;
    sum += item.number();
    count += 1;
  }
  return count == 0 ? Value() : Value(sum / count);
}

void flatten(const Call& call, const Value& list, std::vector<Value>& flat) {
  for (const Value& item : list.list()) {
    call.evaluation.spend_steps(1);
    if (item.is(Kind::list))
      flatten(call, item, flat);
    else
      flat.push_back(item);
  }
}

Value list_flat(const Call& call) {
  std::vector<Value> flat;
  flatten(call, call.self, flat);
  return made_list(call, std::move(flat));
}

Value list_join(const Call& call) {
  const std::string separator = call.has(0) ? call.text(0) : ",";
  std::string text;
  for (const Value& item : call.self.list()) {
    if (&item != call.self.list().data()) text += separator;
    text += call.evaluation.text_of(item);
    if (text.size() > max_bytes) break;
  }
  return made(call, std::move(text));
}

Value list_reverse(const Call& call) {
  return made_list(call, {call.self.list().rbegin(), call.self.list().rend()});
}

Value list_slice(const Call& call) {
  const auto& items = call.self.list();
  const Part part = part_of(call, items.size());
  return made_list(call,
                   {items.begin() + static_cast<std::ptrdiff_t>(part.begin),
                    items.begin() + static_cast<std::ptrdiff_t>(part.end)});
}

// Nulls last; kinds that have no order between them in the order of their names.
Value list_sort(const Call& call) {
  std::vector<Value> items = call.self.list();
  std::ranges::stable_sort(items, [&](const Value& a, const Value& b) {
    if (a.is_null() || b.is_null()) return !a.is_null() && b.is_null();
    if (a.kind() != b.kind()) return name_of(a.kind()) < name_of(b.kind());
    return call.evaluation.compare(a, b).value_or(0) < 0;
  });
  return made_list(call, std::move(items));
}

// Links are told apart by how they are written.
bool are_same(const Call& call, const Value& a, const Value& b) {
  if (a.is(Kind::link) && b.is(Kind::link))
    return call.evaluation.text_of(a) == call.evaluation.text_of(b);
  return call.evaluation.are_equal(a, b);
}

Value list_unique(const Call& call) {
  std::vector<Value> once;
  for (const Value& item : call.self.list()) {
    const bool is_known =
        std::ranges::any_of(once, [&](const Value& known) { return are_same(call, known, item); });
    if (!is_known) once.push_back(item);
  }
  return made_list(call, std::move(once));
}

// ---- link and file

Value link_file(const Call& call) {
  FilePointer file = call.evaluation.file_of(call.self);
  return file == nullptr ? Value() : Value(std::move(file));
}

// Whether one of the links of a file is equal to what is given.
bool has_link(const Call& call, const File& file, const Value& wanted) {
  Value link = wanted;
  if (wanted.is(Kind::string)) {
    const Value read = value_of_field(wanted.string(), file.path(), call.evaluation.zone());
    link =
        read.is(Kind::link) ? read : Value(Link{.target = wanted.string(), .source = file.path()});
  }
  const Value links = file.links();
  const FilePointer leads_to = call.evaluation.file_of(link);
  return std::ranges::any_of(links.list(), [&](const Value& candidate) {
    call.evaluation.spend_steps(1);
    const FilePointer found = call.evaluation.file_of(candidate);
    if (found != nullptr || leads_to != nullptr)
      return found != nullptr && leads_to != nullptr && found->path() == leads_to->path();
    return link.is(Kind::link) && candidate.link().target == link.link().target;
  });
}

Value link_links_to(const Call& call) {
  const FilePointer file = call.evaluation.file_of(call.self);
  return file != nullptr && has_link(call, *file, call.value(0));
}

Value file_as_link(const Call& call) {
  Link link{.target = call.self.file().path()};
  if (call.has(0)) link.display = call.text(0);
  return link;
}

Value file_has_link(const Call& call) {
  const Value wanted = call.value(0);
  return !wanted.is_null() && has_link(call, call.self.file(), wanted);
}

Value file_has_property(const Call& call) {
  const Value properties = call.self.file().properties();
  const std::string name = call.text(0);
  return std::ranges::any_of(properties.object(),
                             [&](const auto& member) { return member.first == name; });
}

// A tag, or one below it: `a` is on a note that has `a/b`. Case makes no difference.
Value file_has_tag(const Call& call) {
  const Value tags = call.self.file().tags();
  for (std::size_t i = 0; call.has(i); ++i) {
    std::string wanted = fold_case(call.text(i));
    if (wanted.starts_with('#')) wanted.erase(0, 1);
    for (const Value& tag : tags.list()) {
      const std::string folded = fold_case(tag.string());
      if (folded == wanted || folded.starts_with(wanted + "/")) return true;
    }
  }
  return false;
}

Value file_in_folder(const Call& call) {
  std::string folder = call.text(0);
  while (folder.ends_with('/'))
    folder.pop_back();
  while (folder.starts_with('/'))
    folder.erase(0, 1);
  const std::string_view own = parts_of(call.self.file().path()).folder;
  return folder.empty() || own == folder || own.starts_with(folder + "/");
}

// ---- object and regexp

Value object_keys(const Call& call) {
  std::vector<Value> keys;
  for (const auto& member : call.self.object())
    keys.emplace_back(member.first);
  return made_list(call, std::move(keys));
}

Value object_values(const Call& call) {
  std::vector<Value> values;
  for (const auto& member : call.self.object())
    values.push_back(member.second);
  return made_list(call, std::move(values));
}

Value regexp_matches(const Call& call) {
  const std::string text = call.text(0);
  call.evaluation.spend_steps(call.self.regexp().cost(text.size()));
  return call.self.regexp().matches(text);
}

using R = Receiver;

constexpr std::array<Function, 69> functions{{
    {"abs", R::number, "", "The number without its sign.", number_abs},
    {"asFile",
     R::link,
     "",
     "The file that the link leads to; null where there is none.",
     link_file},
    {"asLink", R::file, "display?", "A link to the file.", file_as_link},
    {"ceil", R::number, "", "The next whole number upwards.", number_ceil},
    {"contains", R::list, "value", "Whether an item equals the value.", list_contains},
    {"contains", R::string, "value", "Whether the text occurs in it; case counts.", text_contains},
    {"containsAll",
     R::list,
     "values...",
     "Whether all of the values are items.",
     list_contains_all},
    {"containsAll",
     R::string,
     "values...",
     "Whether all of the texts occur in it.",
     text_contains_all},
    {"containsAny",
     R::list,
     "values...",
     "Whether one of the values is an item.",
     list_contains_any},
    {"containsAny",
     R::string,
     "values...",
     "Whether one of the texts occurs in it.",
     text_contains_any},
    {"date", R::global, "text", "A date from text: 2026-01-31, 2026-01-31 09:05:00.", make_date},
    {"date", R::date, "", "The date without its time.", date_part},
    {"duration",
     R::global,
     "text",
     "A length of time: 1d, 2 weeks, 1h 30m; units y M w d h m s.",
     make_duration},
    {"endsWith", R::string, "text", "Whether it ends with the text.", text_ends},
    {"escapeHTML",
     R::global,
     "text",
     "The text with & < > and quotes as HTML wants them.",
     escape_html},
    {"file",
     R::global,
     "path",
     "The file of a path, a name or a link; null where there is none.",
     find_file},
    {"filter",
     R::list,
     "expression",
     "The items for which an expression over `value` and `index` holds.",
     list_filter},
    {"flat", R::list, "", "The items of all lists in it as one list.", list_flat},
    {"floor", R::number, "", "The next whole number downwards.", number_floor},
    {"format",
     R::date,
     "format?",
     "The date as Moment's tokens say: YYYY-MM-DD, dddd, [W]WW.",
     format_of},
    {"hasLink",
     R::file,
     "target",
     "Whether the file links to a file, a path or a name.",
     file_has_link},
    {"hasProperty", R::file, "name", "Whether its front matter has the key.", file_has_property},
    {"hasTag",
     R::file,
     "tags...",
     "Whether it has one of the tags, or one below it.",
     file_has_tag},
    {"html", R::global, "text", "Text that a view draws as HTML.", make_html},
    {"icon", R::global, "name", "An icon by its name.", make_icon},
    {"if",
     R::global,
     "condition, then, else?",
     "One of two values; the other is not worked out.",
     choose},
    {"image", R::global, "path", "An image of a path, a link or an address.", make_image},
    {"inFolder", R::file, "folder", "Whether it lies in the folder or below it.", file_in_folder},
    {"isEmpty", R::date, "", "False.", emptiness},
    {"isEmpty", R::list, "", "Whether it has no item.", emptiness},
    {"isEmpty", R::number, "", "False.", emptiness},
    {"isEmpty", R::object, "", "Whether it has no member.", emptiness},
    {"isEmpty",
     R::string,
     "",
     "Whether it has no character; true where a property is missing.",
     emptiness},
    {"isTruthy", R::any, "", "False for null, false, 0 and the empty string.", truth_of},
    {"isType",
     R::any,
     "type",
     "Whether it is of a type: string, number, date, list, link ...",
     has_type},
    {"join", R::list, "separator", "All items as one text.", list_join},
    {"keys", R::object, "", "The names of its members.", object_keys},
    {"link", R::global, "path, display?", "A link to a path or a file.", make_link},
    {"linksTo",
     R::link,
     "file",
     "Whether the file that the link leads to links to a file.",
     link_links_to},
    {"list",
     R::global,
     "value",
     "A list as it is; anything else as the only item of one.",
     make_list},
    {"lower", R::string, "", "In lower case.", text_lower},
    {"map",
     R::list,
     "expression",
     "An expression over `value` and `index` for every item.",
     list_map},
    {"matches", R::regexp, "text", "Whether the pattern occurs in the text.", regexp_matches},
    {"max", R::global, "numbers...", "The largest number.", largest},
    {"mean", R::list, "", "The average of its numbers; null where it has none.", list_mean},
    {"min", R::global, "numbers...", "The smallest number.", smallest},
    {"now", R::global, "", "The date and the time of the question.", now_date},
    {"number",
     R::global,
     "value",
     "A number from text, a boolean or a date (in milliseconds).",
     make_number},
    {"random", R::global, "", "A number from 0 to 1.", random_number},
    {"reduce",
     R::list,
     "expression, acc",
     "One value of all items: the expression over `value`, `index` and `acc`.",
     list_reduce},
    {"relative", R::date, "", "How long ago or ahead it is: 3 days ago.", relative},
    {"repeat", R::string, "count", "The text so many times.", text_repeat},
    {"replace",
     R::string,
     "pattern, replacement",
     "With every occurrence of a text replaced; of a pattern the first, or all with its flag g.",
     text_replace},
    {"reverse", R::list, "", "The items from the last to the first.", list_reverse},
    {"reverse", R::string, "", "The characters from the last to the first.", text_reverse},
    {"round",
     R::number,
     "digits?",
     "Rounded to a whole number, or to so many digits.",
     number_round},
    {"slice", R::list, "start, end?", "The items from start up to before end.", list_slice},
    {"slice", R::string, "start, end?", "The characters from start up to before end.", text_slice},
    {"sort", R::list, "", "The items from the smallest to the largest.", list_sort},
    {"split",
     R::string,
     "separator, count?",
     "The pieces between separators, a text or a pattern.",
     text_split},
    {"startsWith", R::string, "text", "Whether it begins with the text.", text_starts},
    {"title", R::string, "", "With the first letter of every word in upper case.", text_title},
    {"toFixed", R::number, "digits", "As text with so many digits behind the point.", number_fixed},
    {"toString", R::any, "", "As text.", to_string},
    {"today", R::global, "", "The date of the question.", today_date},
    {"trim", R::string, "", "Without spaces at both ends.", text_trim},
    {"time", R::date, "", "The time as text: 23:59:59.", time_part},
    {"unique",
     R::list,
     "",
     "Every item once; links are told apart by how they are written.",
     list_unique},
    {"values", R::object, "", "The values of its members.", object_values},
}};

constexpr std::array<Receiver, 11> receivers{R::global,
                                             R::any,
                                             R::date,
                                             R::string,
                                             R::number,
                                             R::list,
                                             R::link,
                                             R::file,
                                             R::object,
                                             R::regexp,
                                             R::duration};

}  // namespace

std::span<const Function> all_functions() {
  return functions;
}

// The table is in the order of names, so that those of one name stand together.
std::span<const Function> functions_named(std::string_view name) {
  const auto* begin = std::ranges::find(functions, name, &Function::name);
  const auto* end = std::find_if(
      begin, functions.end(), [&](const Function& function) { return function.name != name; });
  return {begin, end};
}

std::vector<std::string> function_names(CallForm form) {
  std::vector<std::string> names;
  for (const Function& function : functions) {
    const bool is_global = function.receiver == Receiver::global;
    if (is_global != (form == CallForm::global)) continue;
    if (names.empty() || names.back() != function.name) names.emplace_back(function.name);
  }
  return names;
}

std::string function_docs() {
  std::string docs;
  for (const Receiver receiver : receivers) {
    docs += "### " + std::string(name_of(receiver)) + "\n\n| | |\n|---|---|\n";
    for (const Field& field : all_fields())
      if (field.receiver == receiver)
        docs += "| `" + std::string(field.name) + "` | " + std::string(field.summary) + " |\n";
    for (const Function& function : functions)
      if (function.receiver == receiver)
        docs += "| `" + function.signature() + "` | " + std::string(function.summary) + " |\n";
    docs += "\n";
  }
  return docs;
}

}  // namespace notesdb::expression
