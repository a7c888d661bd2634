#include "core/etag.h"

#include <cstdio>
#include <string>

#include <catch2/catch.hpp>

namespace notesdb {
namespace {

TEST_CASE("an etag is shown as sixteen hex digits, and read again", "[core]") {
  CHECK(to_text(Etag{}) == "0000000000000000");
  CHECK(to_text(Etag{0x0123456789abcdefU}) == "0123456789abcdef");
  std::uint64_t hash = 0;
  for (int i = 0; i < 1000; ++i) {
    hash = hash * 6364136223846793005U + 1442695040888963407U;
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    CHECK(to_text(Etag{hash}) == digits);
    CHECK(parse_etag(digits) == Etag{hash});
  }
}

}  // namespace
}  // namespace notesdb
