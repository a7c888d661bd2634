#include "mcp/sealed_state.h"

#include <chrono>

#include "mcp/base64.h"
#include "mcp/json_reader.h"
#include "mcp/sha256.h"

namespace notesdb::mcp {
namespace {

constexpr std::int64_t lifetime_seconds = 600;

std::int64_t now_seconds() {
  using std::chrono::duration_cast;
  using std::chrono::seconds;
  return duration_cast<seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Sealer::Sealer() : key_(random_bytes(32)) {}

std::string Sealer::sign(const std::string& text, const std::string& purpose) const {
  return hmac_sha256(key_, purpose + '\0' + text);
}

std::string Sealer::seal(const Json& state, const std::string& purpose) const {
  const std::string text = to_text({{"until", now_seconds() + lifetime_seconds}, {"state", state}});
  return to_base64(text) + "." + to_base64(sign(text, purpose));
}

std::optional<Json> Sealer::open(const std::string& sealed, const std::string& purpose) const {
  const std::size_t dot = sealed.find('.');
  if (dot == std::string::npos) return std::nullopt;
  const auto text = from_base64(std::string_view(sealed).substr(0, dot));
  const auto seal = from_base64(std::string_view(sealed).substr(dot + 1));
  if (!text || !seal || !same_in_constant_time(*seal, sign(*text, purpose))) return std::nullopt;
  Result<Json> content = read_json(*text);
  if (!content || (*content)["until"].get<std::int64_t>() < now_seconds()) return std::nullopt;
  return std::move((*content)["state"]);
}

std::string purpose_of(const std::string& method, const Json& params) {
  // Sorted keys: a client may rebuild its arguments in another order.
  const Json* arguments = find(params, "arguments");
  const std::string text = arguments == nullptr ? "{}" : to_text(*arguments);
  const std::string sorted = nlohmann::json::parse(text).dump();
  return sha256(method + '\0' + text_of(params, "name") + '\0' + sorted);
}

}  // namespace notesdb::mcp
