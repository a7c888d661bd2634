#include "cases/matcher.h"

#include <algorithm>
#include <cctype>

#include "driving/folder.h"

namespace notesdb::cases {
namespace {

constexpr const char* kOpen = "...";

std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 600)
    text = text.substr(0, 600) + "... (" + std::to_string(text.size()) + " bytes)";
  return driving::visible(text);
}

// "$etag:before" is of the kind "etag"; a text that is no placeholder has none.
std::string kind_of(const Json& pattern) {
  if (!pattern.is_string()) return "";
  const std::string& text = pattern.get_ref<const std::string&>();
  if (text.size() < 2 || text[0] != '$' || text[1] == '$') return "";
  return text.substr(1, text.find(':') - 1);
}

bool is_bound(const Json& pattern) {
  return pattern.get_ref<const std::string&>().find(':') != std::string::npos;
}

bool is_etag(const std::string& text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_time(const std::string& text) {
  static const std::string shape = "0000-00-00T00:00:00Z";
  return text.size() == shape.size() &&
         std::equal(text.begin(), text.end(), shape.begin(), [](char c, char s) {
           return s == '0' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : c == s;
         });
}

bool is_of_kind(const std::string& kind, const Json& found) {
  if (kind == "any") return true;
  if (kind == "number") return found.is_number();
  if (kind == "boolean") return found.is_boolean();
  if (kind == "list") return found.is_array();
  if (kind == "object") return found.is_object();
  if (!found.is_string()) return false;
  const std::string& text = found.get_ref<const std::string&>();
  if (kind == "etag") return is_etag(text);
  if (kind == "time") return is_time(text);
  if (kind == "change") return !text.empty();
  return kind == "string";
}

Json masked_copy(const Json& pattern, const Json& found, const std::string& kind) {
  return kind == "time" || kind == "change" || is_bound(pattern) ? pattern : found;
}

enum class Reading { pattern, literal };

class Comparison {
 public:
  Comparison(Bindings& bindings, Reading reading) : bindings_(bindings), reading_(reading) {}

  // Compares, notes differences, and gives the masked copy of what was found.
  Json compare(const Json& pattern, const Json& found, const std::string& path) {
    if (reading_ == Reading::pattern) {
      if (const std::string kind = kind_of(pattern); !kind.empty())
        return compare_placeholder(pattern, found, path, kind);
      if (pattern.is_object() && pattern.size() == 1 && pattern.begin().key()[0] == '$')
        return compare_operator(pattern.begin().key(), pattern.begin().value(), found, path);
    }
    if (pattern.is_object() && found.is_object()) return compare_members(pattern, found, path);
    if (pattern.is_array() && found.is_array() && pattern.size() == found.size())
      return compare_elements(pattern, found, path);
    if (!equal_scalars(pattern, found)) differ(path, shown(pattern), found);
    return found;
  }

  std::vector<std::string> differences;

 private:
  void differ(const std::string& path, const std::string& expected, const Json& found) {
    differences.push_back((path.empty() ? "the answer" : path) + ": expected " + expected +
                          "\n      found " + shown(found));
  }

  bool equal_scalars(const Json& pattern, const Json& found) const {
    if (!pattern.is_string() || reading_ == Reading::literal) return pattern == found;
    const std::string& text = pattern.get_ref<const std::string&>();
    return found == (text.rfind("$$", 0) == 0 ? text.substr(1) : text);
  }

  Json compare_placeholder(const Json& pattern,
                           const Json& found,
                           const std::string& path,
                           const std::string& kind) {
    if (!is_of_kind(kind, found)) {
      differ(path, shown(pattern), found);
    } else if (is_bound(pattern)) {
      const auto [bound, is_new] = bindings_.emplace(pattern.get<std::string>(), found);
      if (!is_new && bound->second != found)
        differ(path, shown(pattern) + " = " + shown(bound->second), found);
    }
    return masked_copy(pattern, found, kind);
  }

  Json compare_members(const Json& pattern, const Json& found, const std::string& path) {
    Json masked = found;
    for (const auto& [key, expected] : pattern.items()) {
      if (is_open(pattern) && key == kOpen) continue;
      const std::string inner = path.empty() ? key : path + "." + key;
      const auto member = found.find(key);
      if (reading_ == Reading::pattern && expected == "$absent") {
        if (member != found.end()) differ(inner, "nothing there", *member);
      } else if (member == found.end()) {
        differences.push_back(inner + ": expected " + shown(expected) + "\n      is not there");
      } else {
        masked[key] = compare(expected, *member, inner);
      }
    }
    if (!is_open(pattern)) refuse_others(pattern, found, path);
    return masked;
  }

  bool is_open(const Json& pattern) const {
    return reading_ == Reading::pattern && pattern.contains(kOpen);
  }

  void refuse_others(const Json& pattern, const Json& found, const std::string& path) {
    for (const auto& [key, value] : found.items())
      if (!pattern.contains(key))
        differ(path.empty() ? key : path + "." + key, "nothing there", value);
  }

  Json compare_elements(const Json& pattern, const Json& found, const std::string& path) {
    Json masked = Json::array();
    for (std::size_t i = 0; i < pattern.size(); ++i)
      masked.push_back(compare(pattern[i], found[i], path + "[" + std::to_string(i) + "]"));
    return masked;
  }

  // Whether a pattern would fit; binds nothing where it does not.
  bool fits(const Json& pattern, const Json& found) {
    Bindings trial = bindings_;
    Comparison comparison(trial, Reading::pattern);
    comparison.compare(pattern, found, "");
    if (!comparison.differences.empty()) return false;
    bindings_ = trial;
    return true;
  }

  bool holds_part(const Json& found, const Json& part) {
    if (found.is_string() && part.is_string())
      return found.get<std::string>().find(part.get<std::string>()) != std::string::npos;
    return found.is_array() && std::any_of(found.begin(), found.end(), [&](const Json& element) {
             return fits(part, element);
           });
  }

  bool same_elements(const Json& patterns, Json found) {
    if (!found.is_array() || found.size() != patterns.size()) return false;
    return std::all_of(patterns.begin(), patterns.end(), [&](const Json& pattern) {
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (!fits(pattern, found[i])) continue;
        found.erase(i);
        return true;
      }
      return false;
    });
  }

  Json compare_operator(const std::string& name,
                        const Json& operand,
                        const Json& found,
                        const std::string& path) {
    if (name == "$ids") return compare_ids(operand, found, path);
    if (name == "$all") {
      for (const Json& pattern : operand)
        compare(pattern, found, path);
      return found;
    }
    const auto holds = [&](const Json& part) { return holds_part(found, part); };
    bool right = false;
    if (name == "$contains") {
      right = std::all_of(operand.begin(), operand.end(), holds);
    } else if (name == "$lacks") {
      right = std::none_of(operand.begin(), operand.end(), holds);
    } else if (name == "$one_of") {
      right = std::any_of(operand.begin(), operand.end(), [&](const Json& pattern) {
        return fits(pattern, found);
      });
    } else if (name == "$unordered") {
      right = same_elements(operand, found);
    } else if (name == "$begins") {
      right =
          found.is_string() && found.get<std::string>().rfind(operand.get<std::string>(), 0) == 0;
    } else if (name == "$size") {
      right = found.is_array() && found.size() == operand.get<std::size_t>();
    }
    if (!right) differ(path, name + " " + shown(operand), found);
    return found;
  }

  Json compare_ids(const Json& ids, const Json& found, const std::string& path) {
    if (!found.contains("rows") || !found["rows"].is_array()) {
      differ(path, "rows " + shown(ids), found);
      return found;
    }
    Json given = Json::array();
    for (const Json& row : found["rows"])
      given.push_back(row.value("id", ""));
    if (given != ids) differ(path + "rows' ids", shown(ids), given);
    if (found.value("total", -1) != static_cast<int>(ids.size()))
      differ(path + "total", std::to_string(ids.size()), found.value("total", Json()));
    return found;
  }

  Bindings& bindings_;
  Reading reading_;
};

Json opened(Json pattern) {
  if (pattern.is_object() && pattern.contains("error") && pattern["error"].is_object())
    pattern["error"][kOpen] = "$any";
  return pattern;
}

}  // namespace

Matched match(const Json& pattern, const Json& found, Bindings& bindings) {
  Comparison comparison(bindings, Reading::pattern);
  Json masked = comparison.compare(opened(pattern), found, "");
  return {comparison.differences, masked};
}

std::vector<std::string> differences_between(const Json& expected, const Json& found) {
  Bindings none;
  Comparison comparison(none, Reading::literal);
  comparison.compare(expected, found, "");
  return comparison.differences;
}

Json substitute(const Json& request, const Bindings& bindings) {
  if (request.is_string()) {
    const auto bound = bindings.find(request.get<std::string>());
    return bound == bindings.end() ? request : bound->second;
  }
  // A scalar iterates over itself.
  if (!request.is_structured()) return request;
  Json result = request;
  if (result.is_structured())
    for (auto& element : result)
      element = substitute(element, bindings);
  return result;
}

std::string fill_in(std::string text, const Bindings& bindings) {
  for (const auto& [name, value] : bindings) {
    const std::string with = value.is_string() ? value.get<std::string>() : value.dump();
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
      text.replace(at, name.size(), with);
  }
  return text;
}

}  // namespace notesdb::cases
