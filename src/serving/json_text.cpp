#include "serving/json_text.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace notesdb {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest = std::size_t{16} << 20U;

// Where a comment or string that begins here ends; the place itself where neither does.
std::size_t end_of_comment(std::string_view text, std::size_t at) {
  if (text.substr(at).starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (!text.substr(at).starts_with("/*")) return at;
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

// The text with a space for each comma that nothing follows: editors write them, and nlohmann's
// reader takes none.
std::string without_trailing_commas(std::string_view text) {
  std::string result(text);
  std::size_t comma = std::string::npos;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t end = end_of_comment(text, at); end != at) {
      at = end;
      continue;
    }
    const char c = text[at];
    if ((c == '}' || c == ']') && comma != std::string::npos) result[comma] = ' ';
    if (c == ',') {
      comma = at;
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
      comma = std::string::npos;
    }
    at = c == '"' ? end_of_string(text, at) : at + 1;
  }
  return result;
}

Json read(std::string_view text) {
  if (text.size() > longest) return Json::value_t::discarded;
  return Json::parse(without_trailing_commas(text),
                     nullptr,
                     /*allow_exceptions=*/false,
                     /*ignore_comments=*/true);
}

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct MemberPlace {
  std::string key;
  std::size_t key_begin = 0;
  Span value;
};

// An object in the text, from its brace to after its other one.
struct ObjectPlace {
  Span span;
  std::vector<MemberPlace> members;
  bool trailing_comma = false;  // after the last member

  const MemberPlace* find(const std::string& key) const {
    // The last one counts where a key is given twice, as for most readers.
    auto found = std::find_if(
        members.rbegin(), members.rend(), [&](const MemberPlace& one) { return one.key == key; });
    return found == members.rend() ? nullptr : &*found;
  }
};

// Finds its way in a text that is known to be JSON with comments.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  ObjectPlace object_at(std::size_t begin) {
    ObjectPlace object;
    object.span.begin = at_ = skip_blank(begin);
    ++at_;
    while (at(at_ = skip_blank(at_)) != '}') {
      if (at(at_) == ',') at_ = skip_blank(at_ + 1);
      if (at(at_) == '}') {
        object.trailing_comma = true;
        break;
      }
      MemberPlace member;
      member.key_begin = at_;
      at_ = skip_value(at_);
      member.key = Json::parse(text_.substr(member.key_begin, at_ - member.key_begin));
      member.value.begin = skip_blank(skip_blank(at_) + 1);  // after the colon
      member.value.end = at_ = skip_value(member.value.begin);
      object.members.push_back(std::move(member));
    }
    object.span.end = at_ + 1;
    return object;
  }

  std::size_t skip_blank(std::size_t i) const {
    while (i < text_.size()) {
      if (const std::size_t end = end_of_comment(text_, i); end != i) {
        i = end;
      } else if (at(i) == ' ' || at(i) == '\t' || at(i) == '\r' || at(i) == '\n') {
        ++i;
      } else {
        break;
      }
    }
    return i;
  }

 private:
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '}'; }

  std::size_t skip_value(std::size_t i) const {
    std::size_t depth = 0;
    while (i < text_.size()) {
      char c = text_[i];
      if (c == '"') {
        i = end_of_string(text_, i);
      } else if (c == '{' || c == '[') {
        ++depth;
        i = skip_blank(i + 1);
        continue;
      } else if (c == '}' || c == ']') {
        --depth;
        ++i;
      } else if (c == ',' || c == ':') {
        i = skip_blank(i + 1);
        continue;
      } else {
        i = std::min(text_.find_first_of(",:}] \t\r\n/", i), text_.size());
      }
      if (depth == 0) return i;
      i = skip_blank(i);
    }
    return i;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// How the text is laid out.
struct JsonStyle {
  std::string line_end = "\n";
  std::string unit = "  ";  // of indentation
};

// The spaces before a place, if there is nothing else on its line.
std::optional<std::string> indentation_at(std::string_view text, std::size_t place) {
  std::size_t line = text.rfind('\n', place == 0 ? 0 : place - 1);
  if (line == std::string_view::npos || line >= place) return std::nullopt;
  std::string_view before = text.substr(line + 1, place - line - 1);
  if (before.find_first_not_of(" \t") != std::string_view::npos) return std::nullopt;
  return std::string(before);
}

JsonStyle manner_of(std::string_view text, const ObjectPlace& root) {
  JsonStyle manner;
  if (text.find("\r\n") != std::string_view::npos) manner.line_end = "\r\n";
  if (root.members.empty()) return manner;
  auto indentation = indentation_at(text, root.members.front().key_begin);
  if (indentation && !indentation->empty()) manner.unit = *indentation;
  return manner;
}

// A value on as many lines as it takes; its first stands where it is put.
std::string laid_out(const Json& value, const JsonStyle& manner, const std::string& indentation) {
  std::string text;
  const std::string compact = value.dump(1, '\t');
  for (std::size_t i = 0; i < compact.size(); ++i) {
    if (compact[i] != '\n') {
      text += compact[i];
      continue;
    }
    text += manner.line_end + indentation;
    for (; i + 1 < compact.size() && compact[i + 1] == '\t'; ++i)
      text += manner.unit;
  }
  return text;
}

// After the spaces and comments that stand here.
std::size_t end_of_comments(std::string_view text, std::size_t at) {
  return Scanner(text).skip_blank(at);
}

// After a remark that ends the line, if one stands there; else where it was.
std::size_t end_of_remark(std::string_view text, std::size_t place) {
  std::size_t first = text.find_first_not_of(" \t", place);
  if (first == std::string_view::npos || !text.substr(first).starts_with("//")) return place;
  return std::min(text.find_first_of("\r\n", first), text.size());
}

std::string replaced(std::string_view text, Span span, const std::string& with) {
  return std::string(text.substr(0, span.begin)) + with + std::string(text.substr(span.end));
}

// The text with one more member at the end of the object, whose own line is indented like this.
std::string with_new_member(std::string_view text,
                            const ObjectPlace& object,
                            const std::string& outside,
                            const JsonStyle& manner,
                            const std::string& key,
                            const Json& value) {
  std::string inside = outside + manner.unit;
  std::string begun = Json(key).dump() + ": ";
  if (object.members.empty()) {
    std::size_t close = object.span.end - 1;
    std::size_t kept = text.find_last_not_of(" \t\r\n", close - 1) + 1;  // a remark, perhaps
    std::string member = manner.line_end + inside + begun + laid_out(value, manner, inside);
    return replaced(text, {kept, close}, member + manner.line_end + outside);
  }
  const MemberPlace& last = object.members.back();
  std::string between = " ";
  // Where each member has a comma after it, the new one has, too.
  const std::string own_comma = object.trailing_comma ? "," : "";
  const std::size_t behind_last = object.trailing_comma
                                      ? text.find(',', end_of_comments(text, last.value.end)) + 1
                                      : last.value.end;
  std::size_t behind = behind_last;
  if (auto indentation = indentation_at(text, last.key_begin)) {
    inside = *indentation;
    between = manner.line_end + inside;
    behind = end_of_remark(text, behind);
  }
  std::string remark(text.substr(behind_last, behind - behind_last));
  return replaced(text,
                  {behind_last, behind},
                  (object.trailing_comma ? "" : ",") + remark + between + begun +
                      laid_out(value, manner, inside) + own_comma);
}

std::string set_member(std::string_view text,
                       const std::string& group,
                       const std::string& name,
                       const Json& value) {
  Scanner scanner(text);
  ObjectPlace root = scanner.object_at(text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  JsonStyle manner = manner_of(text, root);
  const MemberPlace* place = root.find(group);
  if (place == nullptr) return with_new_member(text, root, "", manner, group, {{name, value}});
  std::string outside = indentation_at(text, place->key_begin).value_or("");
  if (text[place->value.begin] != '{') {
    return replaced(text, place->value, laid_out({{name, value}}, manner, outside));
  }
  ObjectPlace members = scanner.object_at(place->value.begin);
  const MemberPlace* known = members.find(name);
  if (known == nullptr) return with_new_member(text, members, outside, manner, name, value);
  std::string inside = indentation_at(text, known->key_begin).value_or(outside + manner.unit);
  return replaced(text, known->value, laid_out(value, manner, inside));
}

// The text without a member and the comma that parts it from its neighbours; its lines go, where
// nothing else stands on them.
std::string without_member(std::string_view text,
                           const ObjectPlace& object,
                           const MemberPlace& gone) {
  Span span{gone.key_begin, gone.value.end};
  const std::size_t next = end_of_comments(text, span.end);
  if (text[next] == ',') {
    span.end = next + 1;
  } else if (&gone != &object.members.front()) {
    const MemberPlace& before = *(&gone - 1);
    const std::size_t comma = end_of_comments(text, before.value.end);
    return replaced(replaced(text, span, ""), {comma, comma + 1}, "");
  }
  return replaced(text, span, "");
}

// Lines that hold nothing any more.
std::string without_blank_line(std::string text, std::size_t near) {
  const std::size_t line = near == 0 ? 0 : text.rfind('\n', near - 1) + 1;
  const std::size_t end = text.find('\n', near);
  if (end == std::string::npos) return text;
  const std::string_view held = std::string_view(text).substr(line, end - line);
  if (held.find_first_not_of(" \t\r") == std::string_view::npos) text.erase(line, end + 1 - line);
  return text;
}

}  // namespace

Result<std::string> without_json_member(std::string_view text,
                                        const std::string& group,
                                        const std::string& name) {
  Json expected = read(text);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return std::string(text);
  if (expected.is_discarded()) return Error{ErrorCode::malformed_file, "not valid JSON", Map{}};
  if (!expected.is_object() || !expected.contains(group) || !expected[group].is_object() ||
      !expected[group].contains(name)) {
    return std::string(text);
  }
  Scanner scanner(text);
  const ObjectPlace root = scanner.object_at(text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  const ObjectPlace members = scanner.object_at(root.find(group)->value.begin);
  const MemberPlace* gone = members.find(name);
  std::string after = without_blank_line(without_member(text, members, *gone), gone->key_begin - 1);
  expected[group].erase(name);
  if (read(after) != expected) {
    return Error{ErrorCode::malformed_file, "not JSON that can be changed in one place", Map{}};
  }
  return after;
}

Json json_members(std::string_view text) {
  Json tree = read(text);
  return tree.is_object() ? tree : Json();
}

Json json_group(std::string_view text, const std::string& group) {
  const Json tree = read(text);
  if (!tree.is_object() || !tree.contains(group) || !tree[group].is_object()) return nullptr;
  return tree[group];
}

Json json_member(std::string_view text, const std::string& group, const std::string& name) {
  Json tree = read(text);
  if (!tree.is_object() || !tree.contains(group) || !tree[group].is_object()) return nullptr;
  return tree[group].value(name, Json());
}

Result<std::string> with_json_member(std::string_view text,
                                     const std::string& group,
                                     const std::string& name,
                                     const Json& value) {
  bool is_blank = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
  std::string before = is_blank ? "{}\n" : std::string(text);
  Json expected = read(before);
  bool has_room = expected.is_object() && (!expected.contains(group) || expected[group].is_null() ||
                                           expected[group].is_object());
  if (!has_room) {
    return Error{ErrorCode::malformed_file, "not JSON with an object '" + group + "'"};
  }
  std::string after = set_member(before, group, name, value);
  expected[group][name] = value;
  if (read(after) != expected) {
    return Error{ErrorCode::malformed_file, "not JSON that can be changed in one place"};
  }
  return after;
}

}  // namespace notesdb
