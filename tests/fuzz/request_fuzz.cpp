// Fuzzing the head of an HTTP request: it is refused with a status that says so, or is all that
// the guard demands of it, and whoever it then lets in by name, origin, token and type has them.
#include <cstdint>
#include <string>
#include <string_view>

#include <strings.h>

#include "fuzz/claim.h"
#include "http/request.h"
#include "http/rules.h"

using namespace notesdb::http;  // NOLINT(google-build-using-namespace): a program of one file

namespace {

constexpr int port = 80;
const std::string token = "a-token";

bool ends_with_token(const std::string* value) {
  return value != nullptr && value->ends_with(" " + token);
}

// What holds of every request that is let in, said in other words than the rules' own.
void check_let_in(const Request& request, const Rules& rules) {
  const std::string& host = *request.headers.find("Host");
  const std::string name = host.substr(0, host.ends_with("]") ? host.npos : host.rfind(':'));
  if (rules.loopback) {
    require(is_loopback(name) || ::strcasecmp(name.c_str(), "localhost") == 0);
    require(name == host || host.ends_with(":" + std::to_string(port)));
  }
  if (const std::string* origin = request.headers.find("Origin")) require(origin->size() > 7);
  if (request.path == "/health") return;
  require(rules.token.empty() || ends_with_token(request.headers.find("Authorization")));
  if (request.method == "POST") require(request.headers.find("Content-Type") != nullptr);
}

}  // namespace

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
  for (const Rules& rules :
       {Rules{port, true, ""}, Rules{port, true, token}, Rules{port, false, token}}) {
    const auto judged = judge(request, rules, Peer::stranger);
    if (judged) require(judged->status >= 400 && judged->status < 600 && !judged->reason.empty());
    if (!judged) check_let_in(request, rules);
  }
  return 0;
}
