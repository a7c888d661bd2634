#include "http/request.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace notesdb::http {
namespace {

bool is_token(std::string_view text) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  const auto allowed = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7F;
}

bool is_visible(char c) {
  return c > ' ' && c < '\x7F';
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find("\r\n");
  const std::string_view line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 2);
  return line;
}

std::optional<Refusal> read_request_line(std::string_view line,
                                         const Limits& limits,
                                         Request& request) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return Refusal{};
  if (line.substr(last + 1) != "HTTP/1.1") return Refusal{505, "HTTP Version Not Supported", {}};
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (!is_token(method) || !target.starts_with('/')) return Refusal{};
  if (target.size() > limits.target_bytes) return Refusal{414, "URI Too Long", {}};
  if (!std::all_of(target.begin(), target.end(), is_visible)) return Refusal{};
  request.method = std::string(method);
  request.path = std::string(target.substr(0, target.find('?')));
  return std::nullopt;
}

std::optional<Refusal> read_headers(std::string_view rest, const Limits& limits, Request& request) {
  std::size_t count = 0;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (++count > limits.headers) return Refusal{431, "Request Header Fields Too Large", {}};
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return Refusal{};
    const std::string_view value = line.substr(colon + 1);
    if (std::any_of(value.begin(), value.end(), is_control)) return Refusal{};
    request.headers.add(line.substr(0, colon), value);
  }
  return std::nullopt;
}

// The length of the body, or why there can be none.
std::optional<Refusal> read_length(const Limits& limits, Request& request) {
  const mcp::HttpHeaders& headers = request.headers;
  if (headers.find("Transfer-Encoding") != nullptr) return Refusal{411, "Length Required", {}};
  if (headers.find("Content-Encoding") != nullptr) {
    return Refusal{415, "Unsupported Media Type", {}};
  }
  if (headers.find("Expect") != nullptr) return Refusal{417, "Expectation Failed", {}};
  const std::string* length = headers.find("Content-Length");
  const bool may_have_body = request.method == "POST" || request.method == "PUT" ||
                             request.method == "PATCH" || request.method == "DELETE";
  if (length == nullptr) {
    return request.method == "POST" ? std::optional(Refusal{411, "Length Required", {}})
                                    : std::nullopt;
  }
  const char* end = length->data() + length->size();
  const auto [stop, failed] = std::from_chars(length->data(), end, request.body_bytes);
  const bool is_number = !length->empty() && failed == std::errc{} && stop == end;
  if (headers.count("Content-Length") > 1 || !is_number) {
    const bool too_long = failed == std::errc::result_out_of_range;
    return too_long ? Refusal{413, "Payload Too Large", {}} : Refusal{};
  }
  if (request.body_bytes > 0 && !may_have_body) return Refusal{};
  if (request.body_bytes > limits.body_bytes) return Refusal{413, "Payload Too Large", {}};
  return std::nullopt;
}

bool asks_to_close(const mcp::HttpHeaders& headers) {
  const std::string* connection = headers.find("Connection");
  if (connection == nullptr) return false;
  std::string value = *connection;
  for (char& c : value)
    c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return value.find("close") != std::string::npos;
}

}  // namespace

std::variant<Request, Refusal> read_head(std::string_view head, const Limits& limits) {
  Request request;
  const std::string_view line = take_line(head);
  if (auto refusal = read_request_line(line, limits, request)) return *refusal;
  if (auto refusal = read_headers(head, limits, request)) return *refusal;
  if (request.headers.count("Host") != 1) return Refusal{};
  if (auto refusal = read_length(limits, request)) return *refusal;
  request.keep_alive = !asks_to_close(request.headers);
  return request;
}

}  // namespace notesdb::http
