#include "bench/workspace_of_rows.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <malloc.h>
#include <unistd.h>

#include "note/front_matter.h"
#include "operations/catalog.h"
#include "operations/dispatch.h"

namespace notesdb::bench {
namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "notesdb_bench: %s\n", why.c_str());
  std::exit(1);
}

Value condition(const char* field, const char* operation, Value value) {
  return Map{{"field", field}, {"operator", operation}, {"value", std::move(value)}};
}

const Value& first_question() {
  static const Value question = Map{{"database_id", "tasks"},
                                    {"filters",
                                     List{condition("status", "eq", "done"),
                                          condition("estimate", "gte", 3),
                                          condition("due", "is_not_empty", Value())}},
                                    {"sort", List{Map{{"field", "due"}}}},
                                    {"select", List{"title", "estimate", "due"}},
                                    {"limit", 50}};
  return question;
}

const Value& second_question() {
  static const Value question = Map{{"database_id", "tasks"}, {"group_by", List{"status"}}};
  return question;
}

std::string ask(Workspace& workspace, std::string_view tool, const Value& question) {
  auto answer = dispatch_as_json(*find_operation(tool), question, {.workspace = workspace});
  if (!answer) give_up(answer.error().message);
  return std::move(answer->text);
}

}  // namespace

Places& places() {
  static Places known;
  return known;
}

std::unique_ptr<Workspace> open_workspace() {
  SettingFlags flags;
  flags.root = places().workspace;
  const auto settings = read_settings(flags, process_environment(), places().workspace);
  if (!settings) give_up(settings.error().message);
  Result<std::unique_ptr<Workspace>> workspace = Workspace::open(*settings);
  if (!workspace) give_up(workspace.error().message);
  return *std::move(workspace);
}

std::string ask_first(Workspace& workspace) {
  return ask(workspace, "db_query", first_question());
}

std::string ask_second(Workspace& workspace) {
  return ask(workspace, "db_aggregate", second_question());
}

std::vector<std::string> row_paths() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(places().workspace + "/tasks")) {
    if (entry.path().extension() == ".md") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> front_matters() {
  std::vector<std::string> texts;
  for (const std::string& path : row_paths()) {
    const std::string bytes = read_file(path);
    const auto found = split_front_matter(bytes, NoteFormat::markdown);
    if (!found) give_up(path + ": " + found.error().message);
    texts.push_back(bytes.substr(found->begin, found->end - found->begin));
  }
  return texts;
}

std::int64_t held_memory() {
  ::malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  std::int64_t whole = 0;
  std::int64_t resident = 0;
  file >> whole >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace notesdb::bench
