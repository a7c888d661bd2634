#include "cli/colour.h"

namespace notesdb::cli {

namespace {

constexpr std::string_view plain = "\x1b[0m";
constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view dim = "\x1b[2m";
constexpr std::string_view red = "\x1b[31m";
constexpr std::string_view green = "\x1b[32m";
constexpr std::string_view cyan = "\x1b[36m";

void append(std::string& out, std::string_view style, std::string_view line) {
  if (style.empty()) {
    out += line;
    return;
  }
  const bool has_end = line.ends_with('\n');
  out += style;
  out += line.substr(0, line.size() - (has_end ? 1 : 0));
  out += plain;
  if (has_end) out += '\n';
}

// Each line in the style that `style_of(line, number)` gives it.
template <typename StyleOf>
std::string by_line(std::string_view text, StyleOf style_of) {
  std::string out;
  for (std::size_t number = 0; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n') + 1);
    const std::string_view taken = line.empty() ? text : line;
    append(out, style_of(taken, number), taken);
    text.remove_prefix(taken.size());
  }
  return out;
}

}  // namespace

bool wants_colours(std::string_view choice, const Environment& environment, bool is_terminal) {
  if (choice == "always") return true;
  if (choice == "never" || !is_terminal) return false;
  const auto refused = environment("NO_COLOR");
  return !refused || refused->empty();
}

std::string colour_choice(const std::vector<std::string>& words) {
  constexpr std::string_view flag = "--color";
  std::string choice = "auto";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == flag && i + 1 < words.size()) choice = words[++i];
    if (words[i].starts_with("--color=")) choice = words[i].substr(flag.size() + 1);
  }
  return choice;
}

std::string coloured_table(const std::string& table) {
  return by_line(table, [](std::string_view, std::size_t number) {
    return number == 0 ? bold : number == 1 ? dim : std::string_view();
  });
}

std::string coloured_title(const std::string& line) {
  return std::string(bold) + line + std::string(plain);
}

std::string coloured_diff(const std::string& diff) {
  return by_line(diff, [](std::string_view line, std::size_t) {
    if (line.starts_with("---") || line.starts_with("+++")) return bold;
    if (line.starts_with("@@")) return cyan;
    if (line.starts_with('-')) return red;
    return line.starts_with('+') ? green : std::string_view();
  });
}

}  // namespace notesdb::cli
