#include "cases/session.h"

#include <algorithm>
#include <sstream>

#include "cases/command_line.h"
#include "driving/folder.h"
#include "driving/process.h"
#include "driving/workspace.h"

namespace notesdb::cases {
namespace fs = std::filesystem;
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text, const std::string& mark) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();  // of csv
    lines.push_back(mark + line);
  }
  return lines;
}

Lines said_by(const driving::Finished& done) {
  Lines said = lines_of(done.out, "");
  for (const std::string& line : lines_of(done.err, "! "))
    said.push_back(line);
  if (done.exit_code != 0) said.push_back("[" + std::to_string(done.exit_code) + "]");
  return said;
}

// Whether a line is as expected, each `...` being any text.
bool is_as(const std::string& line, const std::string& expected) {
  static const std::string gap = "...";
  std::size_t at = 0;
  std::size_t from = 0;
  while (true) {
    const std::size_t dots = expected.find(gap, from);
    const std::string piece = expected.substr(from, dots - from);
    if (from == 0 && !line.starts_with(piece)) return false;
    if (dots == std::string::npos)
      return line.size() >= at + piece.size() && line.ends_with(piece) &&
             (from > 0 || line.size() == piece.size());
    at = line.find(piece, at);
    if (at == std::string::npos) return false;
    at += piece.size();
    from = dots + gap.size();
  }
}

bool are_as(const Lines& said, const Lines& expected) {
  return std::equal(said.begin(), said.end(), expected.begin(), expected.end(), is_as);
}

std::string listing(const std::string& title, const Lines& lines) {
  std::string text = "  " + title + ":\n";
  for (const std::string& line : lines)
    text += "    " + line + "\n";
  return text;
}

driving::Finished run(const driving::Workspace& workspace, const std::string& command) {
  driving::Words words{"/usr/bin/env", "-C", workspace.root().string(), driving::program()};
  for (const std::string& word : split(command))
    words.push_back(word);
  driving::Environment environment = workspace.environment();
  environment["NOTESDB_ROOT"] = workspace.root().string();
  return driving::run(words, environment);
}

}  // namespace

std::vector<fs::path> find_sessions(const fs::path& root) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root))
    if (entry.path().filename() == "session.txt") found.push_back(entry.path().parent_path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<SessionStep> read_session(const fs::path& file) {
  std::vector<SessionStep> steps;
  for (const std::string& line : lines_of(driving::read_bytes(file), "")) {
    if (line.starts_with("# ")) continue;
    if (line.starts_with("$ "))
      steps.push_back({line.substr(2), {}});
    else if (!steps.empty())
      steps.back().said.push_back(line);
  }
  for (SessionStep& step : steps)
    while (!step.said.empty() && step.said.back().empty())
      step.said.pop_back();
  return steps;
}

std::string run_session(const fs::path& folder) {
  const driving::Workspace workspace;
  driving::copy_tree(folder / "before", workspace.root());
  std::string wrong;
  for (const SessionStep& step : read_session(folder / "session.txt")) {
    const Lines said = said_by(run(workspace, step.command));
    if (!are_as(said, step.said))
      wrong += "$ " + step.command + "\n" + listing("expected", step.said) + listing("said", said);
  }
  const bool is_changed = fs::exists(folder / "after");
  return wrong + driving::difference(driving::read_tree(folder / (is_changed ? "after" : "before")),
                                     driving::read_tree(workspace.root()));
}

}  // namespace notesdb::cases
