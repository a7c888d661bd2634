#include "database/row_id.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <random>

#include "core/text.h"
#include "files/names.h"

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

bool is_ascii(std::string_view text) {
  return std::all_of(
      text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
}

char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
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
                        std::string_view source) {
  switch (schema.row_id.style) {
    case RowIdStyle::counter: return next_counter(schema, folder, known);
    case RowIdStyle::ulid: return folder + make_ulid();
    case RowIdStyle::short_id: return folder + random_text(short_alphabet, 8);
    case RowIdStyle::slug: break;
  }
  std::string stem = cut(to_nfc(slug(source)));
  if (stem.empty()) stem = "row";
  std::string id = folder + stem;
  for (int number = 2; known.has(id); ++number)
    id = folder + stem + "-" + std::to_string(number);
  return id;
}

// Folding is expensive and most ids are ASCII, where it is not needed.
std::string folded_id(std::string_view id) {
  if (!is_ascii(id)) return folded_name(id);
  std::string folded(id);
  std::ranges::transform(folded, folded.begin(), to_lower);
  return folded;
}

FoldedId::FoldedId(std::string_view id) : folded_(folded_id(id)) {}

bool FoldedId::is_one_name_with(std::string_view other) const {
  if (!is_ascii(other)) return folded_name(other) == folded_;
  return std::equal(
      other.begin(), other.end(), folded_.begin(), folded_.end(), [](char letter, char folded) {
        return to_lower(letter) == folded;
      });
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

}  // namespace notesdb
