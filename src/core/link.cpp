#include "core/link.h"

#include <algorithm>
#include <vector>

#include "core/file_name.h"
#include "core/text.h"

namespace notesdb {

namespace {

int hex_digit(char c) {
  std::size_t digit = std::string_view("0123456789abcdef").find(c >= 'A' && c <= 'F' ? c + 32 : c);
  return digit == std::string_view::npos ? -1 : static_cast<int>(digit);
}

bool has_scheme(std::string_view target) {
  return target.find("://") != std::string_view::npos || target.starts_with("mailto:");
}

// Splits at the first '#' and takes the ending off what comes before.
Link split_target(std::string_view target) {
  Link link;
  std::size_t hash = target.find('#');
  if (hash != std::string_view::npos) {
    link.anchor = target.substr(hash + 1);
    target = target.substr(0, hash);
  }
  target = trimmed(target);
  if (is_markdown_file(target)) target.remove_suffix(row_file_ending(target).size());
  while (target.starts_with("./"))
    target.remove_prefix(2);
  link.target = target;
  return link;
}

std::optional<Link> parse_wiki_link(std::string_view text) {
  text = text.substr(2, text.size() - 4);
  if (text.find("]]") != std::string_view::npos || text.find("[[") != std::string_view::npos) {
    return std::nullopt;
  }
  std::size_t bar = text.find('|');
  Link link = split_target(text.substr(0, bar));
  if (bar != std::string_view::npos) link.text = trimmed(text.substr(bar + 1));
  return link;
}

std::optional<Link> parse_markdown_link(std::string_view text) {
  std::size_t middle = text.find("](");
  if (middle == std::string_view::npos) return std::nullopt;
  std::string_view shown = text.substr(1, middle - 1);
  std::string_view target = trimmed(text.substr(middle + 2, text.size() - middle - 3));
  if (std::size_t title = target.find(" \""); title != std::string_view::npos) {
    target = trimmed(target.substr(0, title));
  }
  if (target.starts_with('<') && target.ends_with('>'))
    target = target.substr(1, target.size() - 2);
  if (has_scheme(target) || target.find(')') != std::string_view::npos) return std::nullopt;
  Link link = split_target(percent_decoded(target));
  link.text = shown;
  return link;
}

// people/ann for ../people/ann; says whether there was anything to climb.
bool climb(std::string_view& target) {
  bool climbed = false;
  for (; target.starts_with("../"); target.remove_prefix(3))
    climbed = true;
  return climbed;
}

bool take_folder(std::string_view& target, std::string_view folder) {
  bool inside = !folder.empty() && target.size() > folder.size() + 1 &&
                target.starts_with(folder) && target[folder.size()] == '/';
  if (inside) target.remove_prefix(folder.size() + 1);
  return inside;
}

// Adds the names of a path; false where it climbs over the root.
bool walk(std::string_view path, std::vector<std::string_view>& names) {
  while (!path.empty()) {
    std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    if (name.empty() || name == ".") continue;
    if (name != "..") {
      names.push_back(name);
    } else if (names.empty()) {
      return false;
    } else {
      names.pop_back();
    }
  }
  return true;
}

}  // namespace

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool escape = text[i] == '%' && i + 2 < text.size();
    int high = escape ? hex_digit(text[i + 1]) : -1;
    int low = escape ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::optional<Link> parse_link(std::string_view text) {
  text = trimmed(text);
  std::optional<Link> link;
  if (text.size() > 4 && text.starts_with("[[") && text.ends_with("]]")) {
    link = parse_wiki_link(text);
  } else if (text.starts_with('[') && text.ends_with(')')) {
    link = parse_markdown_link(text);
  }
  if (link && link->target.empty()) return std::nullopt;
  return link;
}

std::string row_named_by(std::string_view text, std::string_view database) {
  std::optional<Link> link = parse_link(text);
  std::string_view target = link ? std::string_view(link->target) : text;
  bool climbed = link && climb(target);
  bool inside = take_folder(target, database);
  // A path that climbs starts somewhere in the tree: team/people may be named by its last parts.
  while (climbed && !inside && database.find('/') != std::string_view::npos) {
    database.remove_prefix(database.find('/') + 1);
    inside = take_folder(target, database);
  }
  return std::string(target);
}

std::string resolve_path(std::string_view folder, std::string_view path) {
  std::vector<std::string_view> names;
  if (!walk(path.starts_with('/') ? "" : folder, names) || !walk(path, names)) return "";
  std::string whole;
  for (std::string_view name : names)
    whole += (whole.empty() ? "" : "/") + std::string(name);
  return whole;
}

}  // namespace notesdb
