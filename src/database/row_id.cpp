#include "database/row_id.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <random>
#include <string_view>
#include <utility>

#include "core/date_format.h"
#include "core/text.h"
#include "files/etag.h"
#include "files/names.h"
#include "index/paths.h"

namespace notesdb {

namespace {

constexpr std::size_t max_digits = 18;
constexpr std::int64_t max_number = 999'999'999'999'999'999;
constexpr std::size_t longest_slug = 80;
constexpr std::string_view crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::string_view short_alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

std::uint64_t random_bits() {
  thread_local std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

std::string random_text(std::string_view alphabet, std::size_t length) {
  std::string text;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < length; ++i) {
    if (i % 12 == 0) bits = random_bits();
    text += alphabet[bits & 31U];
    bits >>= 5U;
  }
  return text;
}

// Milliseconds in ten characters, then eighty random bits.
std::string make_ulid() {
  auto ms = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                           std::chrono::system_clock::now().time_since_epoch())
                                           .count());
  std::string time(10, '0');
  for (auto at = time.rbegin(); at != time.rend(); ++at) {
    *at = crockford[ms & 31U];
    ms >>= 5U;
  }
  return time + random_text(crockford, 16);
}

// One that differs from ROW-012 in case alone has no such number, and is taken all the same.
std::string next_counter(const Schema& schema, const std::string& folder, const KnownIds& known) {
  const std::string prefix = folder + schema.row_id.prefix;
  std::int64_t number = next_number(schema, known.highest_counter(prefix));
  std::string id = counter_id(prefix, number, schema.row_id.digits);
  while (known.has(id))
    id = counter_id(prefix, ++number, schema.row_id.digits);
  return id;
}

// Cut where a character begins.
std::string cut(std::string text) {
  if (text.size() <= longest_slug) return text;
  std::size_t end = longest_slug;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  text.resize(end);
  while (text.ends_with('-'))
    text.pop_back();
  return text;
}

}  // namespace

std::optional<std::int64_t> counter_of(std::string_view id, std::string_view prefix) {
  if (!id.starts_with(prefix)) return std::nullopt;
  id.remove_prefix(prefix.size());
  if (id.empty() || id.size() > max_digits) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (error != std::errc() || end != id.data() + id.size() || id.front() == '-') {
    return std::nullopt;
  }
  return number;
}

std::string counter_id(std::string_view prefix, std::int64_t number, int digits) {
  std::string text = std::to_string(number);
  const auto wanted = static_cast<std::size_t>(std::max(digits, 1));
  if (text.size() < wanted) text.insert(0, wanted - text.size(), '0');
  return std::string(prefix) + text;
}

std::int64_t next_number(const Schema& schema, std::int64_t highest) {
  const std::int64_t next = schema.next_row_id.value_or(0);
  return next > max_number ? highest + 1 : std::max(highest + 1, next);
}

std::string make_row_id(const Schema& schema,
                        const std::string& folder,
                        const KnownIds& known,
                        const IdSource& source) {
  std::string stem = cut(to_nfc(slug(source.text)));
  switch (schema.row_id.style) {
    case RowIdStyle::counter: return next_counter(schema, folder, known);
    case RowIdStyle::ulid: return folder + make_ulid();
    case RowIdStyle::short_id: return folder + random_text(short_alphabet, 8);
    case RowIdStyle::slug: break;
    case RowIdStyle::date: {
      const Timestamp day = source.date.value_or(local_now());
      const std::string date = write_date(day, schema.row_id.format).value_or("");
      if (stem.empty()) return folder + date;
      stem = date + "-" + stem;
    }
  }
  if (stem.empty()) stem = "row";
  std::string id = folder + stem;
  for (int number = 2; known.has(id); ++number)
    id = folder + stem + "-" + std::to_string(number);
  return id;
}

Error id_taken(std::string_view row_id, std::string_view by) {
  std::string message = "the row '" + std::string(row_id) + "' exists already";
  if (by != row_id) {
    message = "the row id '" + std::string(row_id) + "' and the row '" + std::string(by) +
              "' would be one file on systems that fold names";
  }
  return Error{ErrorCode::already_exists, std::move(message), Map{}}.with("row_id",
                                                                          std::string(by));
}

NewIds::NewIds(const Schema& schema, std::string folder)
    : schema_(schema), folder_(std::move(folder)) {}

void NewIds::look_at(const RowTable* rows) {
  rows_ = rows;
  unreadable_ = rows == nullptr ? std::vector<std::string>() : rows->unreadable_ids();
}

std::optional<std::string> NewIds::find(const std::string& id) const {
  if (const auto taken = taken_.find(folded_id(id)); taken != taken_.end()) return taken->second;
  const FoldedId wanted(id);
  for (const std::string& other : unreadable_)
    if (wanted.is_one_name_with(other) && !released_.contains(other)) return other;
  const auto row = rows_ == nullptr ? std::nullopt : rows_->find_one_name(id);
  if (!row) return std::nullopt;
  std::string other(rows_->row_id(*row));
  if (released_.contains(other)) return std::nullopt;
  return other;
}

// Ids of one prefix stand together, by their numbers, so the highest is the last of them; not where
// the prefix ends with a digit, which is part of the number then.
std::int64_t NewIds::highest_in_rows(const std::string& prefix) const {
  std::uint32_t row = rows_->row_count();
  std::uint32_t first = 0;
  const bool is_apart = prefix.empty() || !is_digit(prefix.back());
  if (is_apart) {
    row = rows_->lower_bound(prefix + std::string(max_digits, '9') + ":");
    first = rows_->lower_bound(prefix);
  }
  std::int64_t highest = 0;
  while (row > first) {
    const std::string_view id = rows_->row_id(--row);
    const auto number = counter_of(id, prefix);
    if (!number || released_.contains(std::string(id))) continue;
    highest = std::max(highest, *number);
    if (is_apart) break;
  }
  return highest;
}

std::int64_t NewIds::highest_counter(std::string_view prefix) const {
  if (!counter_) {
    counter_ = rows_ == nullptr ? 0 : highest_in_rows(std::string(prefix));
    for (const std::string& id : unreadable_)
      counter_ = std::max(*counter_, counter_of(id, prefix).value_or(0));
    for (const auto& [folded, id] : taken_)
      counter_ = std::max(*counter_, counter_of(id, prefix).value_or(0));
  }
  return *counter_;
}

std::string row_id_meant(const Schema& schema, const std::string& given) {
  const RowIdRule& rule = schema.row_id;
  const auto day =
      rule.style == RowIdStyle::date && rule.from.empty() ? parse_moment(given) : std::nullopt;
  return day && !day->has_time ? write_date(*day, rule.format).value_or(given) : given;
}

Result<std::string> NewIds::take(const std::string& wanted, const IdSource& source) {
  std::string id = wanted.empty() ? make_row_id(schema_, folder_, *this, source) : wanted;
  if (auto allowed = check_new_row_id(id); !allowed) return allowed.error();
  if (const auto by = find(id)) return id_taken(id, *by);
  taken_.emplace(folded_id(id), id);
  if (const auto number = counter_of(id, folder_ + schema_.row_id.prefix)) {
    if (counter_) counter_ = std::max(*counter_, *number);
    highest_new_ = std::max(highest_new_.value_or(0), *number);
  }
  return id;
}

void NewIds::release(const std::string& id) {
  const auto taken = taken_.find(folded_id(id));
  if (taken != taken_.end() && taken->second == id) taken_.erase(taken);
  released_.insert(id);
}

namespace {

// Looks at the next few ids first: mostly one of them is there, and no folder need be listed.
Result<bool> is_highest(const FileSystem& files,
                        const DatabaseFolder& folder,
                        std::int64_t number) {
  const RowIdRule& rule = folder.schema().row_id;
  constexpr std::int64_t nearby = 4;
  for (std::int64_t other = number + 1; other <= number + nearby; ++other) {
    const auto found = folder.find_row(files, counter_id(rule.prefix, other, rule.digits));
    if (!found) return found.error();
    if (*found) return false;
  }
  const Result<RowListing> listing = folder.list_rows(files);
  if (!listing) return listing.error();
  return std::ranges::none_of(listing->paths, [&](const auto& path) {
    const std::string id(folder.names().id_of(path));
    return counter_of(name_in(id), rule.prefix).value_or(0) > number;
  });
}

bool is_schema(std::string_view path) {
  const std::string_view name = name_in(path);
  return name == "_schema.md" || name == "_schema.yaml";
}

// The digits at the end of a row's file or folder.
std::optional<std::int64_t> number_in(std::string_view path) {
  std::string_view name = name_in(path);
  if (name.starts_with("index.") || name.starts_with("_index.")) name = name_in(folder_of(path));
  name = name.substr(0, name.rfind('.'));
  const std::size_t before = name.find_last_not_of("0123456789");
  const std::string_view digits = before == std::string_view::npos ? name : name.substr(before + 1);
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failed != std::errc() || digits.empty()) return std::nullopt;
  return number;
}

// Whether a change did nothing to this schema but raise its counter because of a row of the same
// change: then what it wrote can be made again of what was there.
bool only_counted(const Step& schema, const std::vector<Step>& steps) {
  const auto document = parse_schema(schema.bytes, note_format_of(schema.path));
  if (!document) return false;
  return std::ranges::any_of(steps, [&](const Step& step) {
    for (const std::string& path : {step.path, step.new_path}) {
      const auto number = number_in(path);
      if (!number) continue;
      const auto counted = with_counter(*document, *number + 1);
      if (counted && etag_of(*counted) == schema.expected) return true;
    }
    return false;
  });
}

}  // namespace

Result<std::optional<std::int64_t>> next_row_id_without(const FileSystem& files,
                                                        const DatabaseFolder& folder,
                                                        const std::vector<std::string>& gone_ids) {
  const Schema& schema = folder.schema();
  const std::optional<std::int64_t> none;
  if (schema.row_id.style != RowIdStyle::counter) return none;
  std::optional<std::int64_t> highest;
  for (const std::string& id : gone_ids)
    highest = std::max(highest, counter_of(name_in(id), schema.row_id.prefix));
  if (!highest || schema.next_row_id.value_or(0) > *highest) return none;
  const Result<bool> is_last = is_highest(files, folder, *highest);
  if (!is_last) return is_last.error();
  return *is_last ? std::optional(*highest + 1) : none;
}

std::vector<Step> without_counters(const FileSystem& files, std::vector<Step> steps) {
  const std::vector<Step> all = steps;
  std::erase_if(steps, [&](const Step& step) {
    if (step.kind != StepKind::replace || !is_schema(step.path)) return false;
    const auto now = files.read(step.path);
    return now && now->etag != step.expected && only_counted(step, all);
  });
  return steps;
}

}  // namespace notesdb
