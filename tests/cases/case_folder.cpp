#include "cases/case_folder.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <sstream>
#include <stdexcept>

#include <sys/stat.h>

#include "driving/folder.h"

namespace notesdb::cases {
namespace fs = std::filesystem;
namespace {

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

std::string date_in(int days) {
  const std::time_t then = std::time(nullptr) + std::time_t{days} * 24 * 60 * 60;
  std::tm parts{};
  gmtime_r(&then, &parts);
  std::array<char, 16> buffer{};
  return {buffer.data(), std::strftime(buffer.data(), buffer.size(), "%Y-%m-%d", &parts)};
}

std::string with_dates(std::string text) {
  static const std::string open = "${today";
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at + 1)) {
    const std::size_t end = text.find('}', at);
    const std::string days = text.substr(at + open.size(), end - at - open.size());
    text.replace(at, end + 1 - at, date_in(days.empty() ? 0 : std::stoi(days)));
  }
  return text;
}

Json read_json(const fs::path& file) {
  try {
    return Json::parse(with_dates(driving::read_bytes(file)));
  } catch (const Json::exception& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

Json laid_over(Json below, const Json& above) {
  for (const auto& [key, value] : above.items())
    below[key] = value;
  return below;
}

Step read_step(const Json& shared, const std::string& claim, const Json& said) {
  Step step;
  step.claim = claim;
  step.words = "-";
  if (said.contains("write") || said.contains("remove")) {
    step.arguments = said;
    return step;
  }
  const bool is_call = said.contains("tool") || said.contains("arguments");
  const Json own = is_call ? said.value("arguments", Json::object()) : said;
  const bool other_tool = said.contains("tool") && shared.contains("tool");
  const Json base = other_tool ? Json::object() : shared.value("arguments", Json::object());
  step.tool = is_call ? said.value("tool", shared.value("tool", "")) : shared.value("tool", "");
  step.arguments = own.is_object() ? laid_over(base, own) : own;
  return step;
}

std::vector<Step> read_steps(const Json& request, const Json& response) {
  std::vector<Step> steps;
  if (!request.contains("steps")) {
    steps.push_back(read_step(Json::object(), "the call", request));
    steps.back().expected = response;
    return steps;
  }
  for (const auto& [claim, said] : request.at("steps").items()) {
    steps.push_back(read_step(request, claim, said));
    if (steps.back().tool.empty()) continue;
    if (!response.contains(claim)) throw std::runtime_error("response.json lacks '" + claim + "'");
    steps.back().expected = response.at(claim);
  }
  for (const auto& [claim, said] : response.items())
    if (!request.at("steps").contains(claim))
      throw std::runtime_error("request.json lacks '" + claim + "'");
  return steps;
}

void read_commands(const fs::path& file, std::vector<Step>& steps) {
  if (!fs::exists(file)) return;
  std::istringstream lines(with_dates(driving::read_bytes(file)));
  std::string line;
  for (Step& step : steps) {
    if (step.tool.empty()) continue;
    if (!std::getline(lines, line))
      throw std::runtime_error(file.string() + ": no line for '" + step.claim + "'");
    step.words = line;
  }
  if (std::getline(lines, line)) throw std::runtime_error(file.string() + ": a line too many");
}

void repeat(const Json& step, const fs::path& workspace) {
  for (int n = 1; n <= step.at("repeat").get<int>(); ++n) {
    std::string path = step.at("write").get<std::string>();
    std::string text = step.at("text").get<std::string>();
    replace_all(path, "{n}", std::to_string(n));
    replace_all(text, "{n}", std::to_string(n));
    text.append(step.value("pad", std::size_t{0}), 'x');
    driving::write_bytes(workspace / path, text);
  }
}

}  // namespace

bool CaseFolder::runs_through(const std::string& door) const {
  if (door == "command" && !has_commands()) return false;
  return doors.empty() || std::find(doors.begin(), doors.end(), door) != doors.end();
}

bool CaseFolder::has_commands() const {
  return std::any_of(
      steps.begin(), steps.end(), [](const Step& step) { return step.words != "-"; });
}

std::vector<fs::path> find_case_folders(const fs::path& root) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root))
    if (entry.path().filename() == "request.json") found.push_back(entry.path().parent_path());
  std::sort(found.begin(), found.end());
  return found;
}

CaseFolder read_case_folder(const fs::path& root, const fs::path& path) {
  const Json request = read_json(path / "request.json");
  CaseFolder folder;
  folder.name = path.lexically_relative(root).string();
  folder.path = path;
  folder.flags = request.value("flags", driving::Words());
  folder.environment = request.value("environment", driving::Environment());
  folder.doors = request.value("doors", std::vector<std::string>());
  folder.after_is_checked = request.value("after", "") != "unchecked";
  folder.setup = request.value("setup", Json::array());
  folder.steps = read_steps(request, read_json(path / "response.json"));
  read_commands(path / "command.txt", folder.steps);
  return folder;
}

void act(const Json& step, const fs::path& workspace) {
  const auto at = [&](const char* key) { return workspace / step.at(key).get<std::string>(); };
  if (step.contains("repeat")) {
    repeat(step, workspace);
  } else if (step.contains("write")) {
    driving::write_bytes(at("write"), step.at("text").get<std::string>());
  } else if (step.contains("remove")) {
    fs::remove(at("remove"));
  } else if (step.contains("folder")) {
    fs::create_directories(at("folder"));
  } else if (step.contains("fifo")) {
    if (mkfifo(at("fifo").c_str(), 0600) != 0) throw std::runtime_error("mkfifo: " + step.dump());
  } else {
    fs::create_directories(at("link").parent_path());
    fs::create_symlink(step.at("to").get<std::string>(), at("link"));
  }
}

void lay_out_before(const CaseFolder& folder, const fs::path& workspace) {
  driving::copy_tree(folder.path / "before", workspace);
  for (const Json& step : folder.setup)
    act(step, workspace);
}

void lay_out_after(const CaseFolder& folder, const fs::path& workspace) {
  if (!fs::exists(folder.path / "after")) {
    lay_out_before(folder, workspace);
    for (const Step& step : folder.steps)
      if (step.tool.empty()) act(step.arguments, workspace);
    return;
  }
  fs::create_directories(workspace);
  for (const Json& step : folder.setup)
    act(step, workspace);
  fs::copy(folder.path / "after",
           workspace,
           fs::copy_options::recursive | fs::copy_options::copy_symlinks |
               fs::copy_options::overwrite_existing);
}

}  // namespace notesdb::cases
