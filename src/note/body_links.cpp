#include "note/body_links.h"

#include <algorithm>

namespace notesdb {
namespace {

bool is_fence(std::string_view line) {
  const std::size_t text = line.find_first_not_of(' ');
  if (text == std::string_view::npos || text > 3) return false;
  return line.substr(text).starts_with("```") || line.substr(text).starts_with("~~~");
}

// Behind the backticks that close what opens at `at`; only past the opening ones if none do.
std::size_t behind_code(std::string_view line, std::size_t at) {
  std::size_t open = at;
  while (open < line.size() && line[open] == '`')
    ++open;
  const std::string_view ticks = line.substr(at, open - at);
  const std::size_t close = line.find(ticks, open);
  return close == std::string_view::npos ? open : close + ticks.size();
}

// The end of the link that may begin at `at`, or `at` if none does.
std::size_t link_end(std::string_view line, std::size_t at) {
  const bool wiki = line.substr(at).starts_with("[[");
  const std::size_t middle = line.find(wiki ? "]]" : "](", at);
  if (middle == std::string_view::npos) return at;
  if (wiki) return middle + 2;
  // A bracket in between begins another link, nearer to the target.
  if (line.substr(at + 1, middle - at - 1).find('[') != std::string_view::npos) return at;
  const std::size_t close = line.find(')', middle);
  return close == std::string_view::npos ? at : close + 1;
}

void visit_line(std::string_view line, const std::function<void(const BodyLink&)>& visit) {
  for (std::size_t at = line.find_first_of("[`"); at != std::string_view::npos;
       at = line.find_first_of("[`", at)) {
    if (line[at] == '`') {
      at = behind_code(line, at);
      continue;
    }
    const std::size_t end = link_end(line, at);
    const std::string_view written = line.substr(at, end - at);
    const auto link = written.empty() ? std::nullopt : parse_link(written);
    if (!link) {
      ++at;
      continue;
    }
    visit({*link, written.starts_with("[[") ? LinkForm::wiki : LinkForm::markdown, written});
    at = end;
  }
}

}  // namespace

void for_each_link(std::string_view body, const std::function<void(const BodyLink&)>& visit) {
  bool in_code = false;
  for (std::size_t start = 0; start < body.size();) {
    const std::size_t end = std::min(body.find('\n', start), body.size());
    const std::string_view line = body.substr(start, end - start);
    if (is_fence(line)) {
      in_code = !in_code;
    } else if (!in_code) {
      visit_line(line, visit);
    }
    start = end + 1;
  }
}

}  // namespace notesdb
