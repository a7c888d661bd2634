#include "query/page.h"

#include <algorithm>

#include "query/argument.h"
#include "query/number.h"

namespace notesdb {

namespace {
constexpr std::int64_t most = std::int64_t{1} << 53U;
}  // namespace

std::uint64_t Page::skipped(std::uint64_t total) const {
  return std::min(offset, total);
}

std::uint64_t Page::held(std::uint64_t total) const {
  return std::min(limit, total - skipped(total));
}

Result<std::uint64_t> parse_count(std::string_view name, const Value& given) {
  std::optional<Number> number = Number::of(given);
  // 10.0 and "1e1" are whole numbers too.
  bool whole = number && compare(*number, Number(std::int64_t{0})) >= 0 &&
               compare(*number, Number(most)) <= 0;
  auto count = whole ? static_cast<std::int64_t>(number->approximate()) : 0;
  if (!whole || compare(*number, Number(count)) != 0) {
    return Error{ErrorCode::invalid_argument,
                 "'" + std::string(name) + "' must be a whole number from 0 to " +
                     std::to_string(most) + ", not " + to_display(given),
                 Map{}}
        .with("argument", name)
        .with("value", given);
  }
  return static_cast<std::uint64_t>(count);
}

Result<Page> parse_page(const Value& limit, const Value& offset, Page otherwise) {
  Page page = otherwise;
  std::vector<Error> errors;
  auto read = [&](std::string_view name, const Value& given, std::uint64_t& place) {
    if (is_absent(given)) return;
    Result<std::uint64_t> count = parse_count(name, given);
    if (count) {
      place = *count;
    } else {
      errors.push_back(count.error());
    }
  };
  read("limit", limit, page.limit);
  read("offset", offset, page.offset);
  if (!errors.empty()) return join(errors);
  return page;
}

}  // namespace notesdb
