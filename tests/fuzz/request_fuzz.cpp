// Fuzzing the head of an HTTP request: it is refused with a status that says so, or is all that
// the rules demand.
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/claim.h"
#include "http/request.h"

using namespace notesdb::http;  // NOLINT(google-build-using-namespace): a program of one file

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Limits limits;
  const auto read = read_head(std::string_view(reinterpret_cast<const char*>(data), size), limits);
  if (const auto* refusal = std::get_if<Refusal>(&read)) {
    require(refusal->status >= 400 && refusal->status < 600 && !refusal->reason.empty());
    return 0;
  }
  const Request& request = std::get<Request>(read);
  require(!request.method.empty() && request.path.starts_with('/'));
  require(request.path.find_first_of(std::string_view("\0\r\n ", 4)) == std::string::npos);
  require(request.path.size() <= limits.target_bytes && request.body_bytes <= limits.body_bytes);
  return 0;
}
