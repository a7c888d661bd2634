#include "http/rules.h"

#include <algorithm>
#include <array>

namespace notesdb::http {
namespace {

enum class Match { whole, beginning };
// What a route gives away: data, or what is the same for everybody.
enum class Gives { data, shell };

struct Route {
  std::string_view path;
  std::string_view method;
  Match match;
  Gives gives;
};

constexpr std::array<Route, 7> routes = {{{"/", "GET", Match::whole, Gives::shell},
                                          {"/health", "GET", Match::whole, Gives::shell},
                                          {"/licenses", "GET", Match::whole, Gives::shell},
                                          {"/assets/", "GET", Match::beginning, Gives::shell},
                                          {"/events", "GET", Match::whole, Gives::data},
                                          {"/mcp", "POST", Match::whole, Gives::data},
                                          {"/call/", "POST", Match::beginning, Gives::data}}};
constexpr std::array<std::string_view, 3> loopback_names = {"localhost", "127.0.0.1", "[::1]"};

const Route* route_of(std::string_view path) {
  const auto* const route = std::find_if(routes.begin(), routes.end(), [&](const Route& known) {
    return known.match == Match::whole ? known.path == path : path.starts_with(known.path);
  });
  return route == routes.end() ? nullptr : route;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return result;
}

// "localhost", or "localhost:8420" with our own port.
template <typename Names>
bool is_one_of(const Names& names, std::string_view host, int port) {
  const std::string given = lower(host);
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return given == name || given == std::string(name) + ":" + std::to_string(port);
  });
}

bool is_loopback_host(std::string_view host, const Rules& rules) {
  return rules.loopback && is_one_of(loopback_names, host, rules.port);
}

bool is_own_host(std::string_view host, const Rules& rules) {
  return is_loopback_host(host, rules) || is_one_of(rules.names, host, rules.port);
}

// A proxy that speaks TLS has an origin of its own, by a name that was allowed.
bool is_own_origin(const std::string& origin, const Rules& rules) {
  const std::string given = lower(origin);
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!given.starts_with(scheme)) continue;
    const std::string authority = given.substr(scheme.size());
    if (scheme == "https://") return is_one_of(rules.names, authority, rules.port);
    return is_own_host(authority, rules);
  }
  return false;
}

// Whether a browser says that it was our own page that asked, or a person who opens it; none but
// browsers say so at all.
bool is_from_elsewhere(const Request& request, const Route& route) {
  const std::string* site = request.headers.find("Sec-Fetch-Site");
  if (site == nullptr) return false;
  if (request.headers.count("Sec-Fetch-Site") != 1) return true;
  if (*site == "same-origin") return false;
  if (route.gives == Gives::data) return true;
  const std::string* destination = request.headers.find("Sec-Fetch-Dest");
  const bool is_opened = destination != nullptr && *destination == "document";
  return *site != "none" && !(is_opened && route.match == Match::whole);
}

// What came through another server is not from who runs that server.
bool is_forwarded(const Request& request) {
  constexpr std::array<std::string_view, 4> marks = {
      "Forwarded", "Via", "X-Forwarded-For", "X-Real-Ip"};
  return std::any_of(marks.begin(), marks.end(), [&](std::string_view mark) {
    return request.headers.find(mark) != nullptr;
  });
}

// In a time that depends on their lengths only.
bool is_same_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = difference | static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

bool brings_token(const Request& request, const std::string& token) {
  constexpr std::string_view scheme = "bearer ";
  const std::string* given = request.headers.find("Authorization");
  if (given == nullptr || request.headers.count("Authorization") != 1) return false;
  if (lower(given->substr(0, scheme.size())) != scheme) return false;
  return is_same_in_constant_time(std::string_view(*given).substr(scheme.size()), token);
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

std::optional<Refusal> judge(const Request& request, const Rules& rules, Peer peer) {
  const std::string& host = *request.headers.find("Host");
  if (!is_own_host(host, rules)) return Refusal{421, "Misdirected Request", {}};
  const std::string* origin = request.headers.find("Origin");
  if (origin != nullptr && !is_own_origin(*origin, rules)) return Refusal{403, "Forbidden", {}};
  const Route* route = route_of(request.path);
  if (route == nullptr) return Refusal{404, "Not Found", {}};
  if (is_from_elsewhere(request, *route)) return Refusal{403, "Forbidden", {}};
  if (route->method != request.method) return Refusal{405, "Method Not Allowed", route->method};
  const bool is_trusted =
      peer == Peer::own_user && is_loopback_host(host, rules) && !is_forwarded(request);
  if (route->gives == Gives::data && !is_trusted &&
      (rules.token.empty() || !brings_token(request, rules.token))) {
    return Refusal{401, "Unauthorized", {}, true};
  }
  if (request.method == "POST" && !is_json(request)) {
    return Refusal{415, "Unsupported Media Type", {}};
  }
  return std::nullopt;
}

}  // namespace notesdb::http
