#include "core/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace notesdb {

std::string shortest_text(double number) {
  std::array<char, 32> buffer{};
  auto* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), end};
}

std::string real_text(double number) {
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number < 0 ? "-.inf" : ".inf";
  std::string text = shortest_text(number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};
// The smallest first.
constexpr std::array time_units{
    Unit{"ms", 1}, Unit{"s", 1'000}, Unit{"min", 60'000}, Unit{"h", 3'600'000}};
constexpr std::array size_units{
    Unit{"B", 1}, Unit{"KiB", 1U << 10U}, Unit{"MiB", 1U << 20U}, Unit{"GiB", 1U << 30U}};

constexpr std::uint64_t max_time = std::uint64_t{365} * 24 * 3'600'000;
constexpr std::uint64_t max_size = std::uint64_t{1} << 50U;

std::optional<std::uint64_t> parse(std::string_view text,
                                   std::span<const Unit> units,
                                   std::uint64_t max) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || count == 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  const auto unit = std::ranges::find(units, text, &Unit::name);
  if (unit == units.end() || count > max / unit->factor) return std::nullopt;
  return count * unit->factor;
}

std::string text_of(std::uint64_t amount, std::span<const Unit> units) {
  const Unit* largest = units.data();
  for (const Unit& unit : units) {
    if (amount % unit.factor == 0) largest = &unit;
  }
  return std::to_string(amount / largest->factor) + " " + std::string(largest->name);
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto found = parse(text, time_units, max_time);
  if (!found) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(*found));
}

std::string duration_text(std::chrono::milliseconds time) {
  return text_of(static_cast<std::uint64_t>(time.count()), time_units);
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  return parse(text, size_units, max_size);
}

std::string size_text(std::uint64_t bytes) {
  return text_of(bytes, size_units);
}

}  // namespace notesdb
