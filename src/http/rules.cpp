#include "http/rules.h"

#include <algorithm>
#include <array>

#include "mcp/sha256.h"

namespace notesdb::http {
namespace {

struct Route {
  std::string_view path;
  std::string_view method;
};

constexpr std::array<Route, 3> routes = {{{"/", "GET"}, {"/health", "GET"}, {"/mcp", "POST"}}};
constexpr std::array<std::string_view, 3> own_names = {"localhost", "127.0.0.1", "[::1]"};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return result;
}

// "localhost", or "localhost:8420" with our own port.
bool is_own_host(std::string_view host, int port) {
  const std::string given = lower(host);
  return std::any_of(own_names.begin(), own_names.end(), [&](std::string_view name) {
    return given == name || given == std::string(name) + ":" + std::to_string(port);
  });
}

bool is_own_origin(const std::string& origin, const std::string& host, const Rules& rules) {
  constexpr std::string_view scheme = "http://";
  const std::string given = lower(origin);
  if (!given.starts_with(scheme)) return false;
  const std::string authority = given.substr(scheme.size());
  return rules.loopback ? is_own_host(authority, rules.port) : authority == lower(host);
}

bool brings_token(const Request& request, const std::string& token) {
  constexpr std::string_view scheme = "bearer ";
  const std::string* given = request.headers.find("Authorization");
  if (given == nullptr || request.headers.count("Authorization") != 1) return false;
  if (lower(given->substr(0, scheme.size())) != scheme) return false;
  // Digests, so that not even the length of the token shows in the time.
  return mcp::same_in_constant_time(mcp::sha256(given->substr(scheme.size())), mcp::sha256(token));
}

bool is_json(const Request& request) {
  const std::string* type = request.headers.find("Content-Type");
  if (type == nullptr) return false;
  std::string kind = lower(type->substr(0, type->find(';')));
  while (!kind.empty() && kind.back() == ' ')
    kind.pop_back();
  return kind == "application/json";
}

}  // namespace

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host == "[::1]" || host.starts_with("127.");
}

std::optional<Refusal> judge(const Request& request, const Rules& rules) {
  const std::string& host = *request.headers.find("Host");
  if (rules.loopback && !is_own_host(host, rules.port)) {
    return Refusal{421, "Misdirected Request", {}};
  }
  const std::string* origin = request.headers.find("Origin");
  if (origin != nullptr && !is_own_origin(*origin, host, rules)) {
    return Refusal{403, "Forbidden", {}};
  }
  const auto* const route = std::find_if(
      routes.begin(), routes.end(), [&](const Route& known) { return known.path == request.path; });
  if (route == routes.end()) return Refusal{404, "Not Found", {}};
  if (route->method != request.method) return Refusal{405, "Method Not Allowed", route->method};
  if (!rules.token.empty() && request.path != "/health" && !brings_token(request, rules.token)) {
    return Refusal{401, "Unauthorized", {}, true};
  }
  if (request.method == "POST" && !is_json(request)) {
    return Refusal{415, "Unsupported Media Type", {}};
  }
  return std::nullopt;
}

}  // namespace notesdb::http
