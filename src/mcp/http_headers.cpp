#include "mcp/http_headers.h"

#include <algorithm>
#include <charconv>

#include "mcp/base64.h"

namespace notesdb::mcp {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
  return result;
}

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_space(text.back()))
    text.remove_suffix(1);
  return text;
}

// The member of params that Mcp-Name repeats for this method; null pointer if it does for none.
const char* named_by(const std::string& method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  return nullptr;
}

// A value as it was meant: =?base64?...?= decoded, anything else literally. Empty if it is marked
// as base64 and is not, or holds characters that a header cannot.
std::optional<std::string> decode_header_value(std::string_view value) {
  constexpr std::string_view opening = "=?base64?";
  constexpr std::string_view closing = "?=";
  const auto unprintable = [](char c) { return c != '\t' && (c < ' ' || c > '~'); };
  if (std::any_of(value.begin(), value.end(), unprintable)) return std::nullopt;
  const bool marked = value.size() >= opening.size() + closing.size() &&
                      value.starts_with(opening) && value.ends_with(closing);
  if (!marked) return std::string(value);
  value.remove_prefix(opening.size());
  value.remove_suffix(closing.size());
  return from_base64(value);
}

std::optional<RpcError> check_one(const HttpHeaders& headers,
                                  std::string_view name,
                                  const std::string& expected) {
  const std::string* value = headers.find(name);
  if (value == nullptr) return header_mismatch(std::string(name) + " is missing");
  if (headers.count(name) > 1) return header_mismatch("duplicate header " + std::string(name));
  const std::optional<std::string> decoded = decode_header_value(*value);
  if (!decoded) return header_mismatch(std::string(name) + " is malformed");
  if (*decoded != expected) {
    return header_mismatch(std::string(name) + " does not say what the body says");
  }
  return std::nullopt;
}

bool says_same_number(const std::string& text, const Json& number) {
  long long value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, value);
  return failed == std::errc{} && stop == end && number == value;
}

std::optional<RpcError> check_parameter(const std::string& header,
                                        const Json& argument,
                                        const HttpHeaders& headers) {
  const std::string name = "Mcp-Param-" + header;
  if (argument.is_string()) return check_one(headers, name, argument.get<std::string>());
  if (argument.is_boolean())
    return check_one(headers, name, argument.get<bool>() ? "true" : "false");
  if (!argument.is_number_integer()) return std::nullopt;  // of the wrong type: the tool says so
  const std::string* value = headers.find(name);
  if (value == nullptr) return header_mismatch(name + " is missing");
  const std::optional<std::string> decoded = decode_header_value(*value);
  if (!decoded || !says_same_number(*decoded, argument)) {
    return header_mismatch(name + " does not say what the body says");
  }
  return std::nullopt;
}

}  // namespace

void HttpHeaders::add(std::string_view name, std::string_view value) {
  headers_.emplace_back(lower(name), std::string(trim(value)));
}

const std::string* HttpHeaders::find(std::string_view name) const {
  const std::string wanted = lower(name);
  for (const auto& [known, value] : headers_) {
    if (known == wanted) return &value;
  }
  return nullptr;
}

std::size_t HttpHeaders::count(std::string_view name) const {
  const std::string wanted = lower(name);
  return static_cast<std::size_t>(
      std::count_if(headers_.begin(), headers_.end(), [&](const auto& header) {
        return header.first == wanted;
      }));
}

RpcError header_mismatch(std::string why) {
  return {RpcCode::header_mismatch, "Header mismatch: " + std::move(why), nullptr, 400};
}

std::optional<RpcError> check_routing_headers(const Message& message, const HttpHeaders& headers) {
  if (auto wrong = check_one(headers, "Mcp-Method", message.method)) return wrong;
  const char* member = named_by(message.method);
  if (member == nullptr) return std::nullopt;
  const Json* name = find(message.params, member);
  if (name == nullptr || !name->is_string()) return std::nullopt;  // bad params, said in-band
  return check_one(headers, "Mcp-Name", name->get<std::string>());
}

std::optional<RpcError> check_parameter_headers(const Json& input_schema,
                                                const Json& arguments,
                                                const HttpHeaders& headers) {
  const Json* properties = find(input_schema, "properties");
  if (properties == nullptr || !properties->is_object()) return std::nullopt;
  for (const auto& [key, schema] : properties->items()) {
    const Json* argument = find(arguments, key.c_str());
    if (argument == nullptr || argument->is_null()) continue;
    const std::string header = text_of(schema, "x-mcp-header");
    if (!header.empty()) {
      if (auto wrong = check_parameter(header, *argument, headers)) return wrong;
    }
    if (auto wrong = check_parameter_headers(schema, *argument, headers)) return wrong;
  }
  return std::nullopt;
}

}  // namespace notesdb::mcp
