// Every folder of fixtures/cases as a Catch2 test named after it, tagged with its subject:
//   cases_test                      all
//   cases_test "[db_query]"         those of a subject
//   cases_test "db_query/paging"    one
#include <exception>
#include <filesystem>

#include <catch2/catch.hpp>

#include "cases/case_folder.h"
#include "cases/interface.h"
#include "cases/matcher.h"
#include "cases/session.h"
#include "driving/folder.h"

namespace notesdb::cases {
namespace {

namespace fs = std::filesystem;

fs::path cases_root() {
  return fs::path(NOTESDB_SOURCE_DIR) / "fixtures" / "cases";
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += "    " + line + "\n";
  return text;
}

bool only_reads(const CaseFolder& folder) {
  for (const Step& step : folder.steps)
    for (const char* writer : {"insert", "update", "delete", "create", "alter", "batch", "undo"})
      if (step.tool.find(writer) != std::string::npos) return false;
  return true;
}

// One case through one interface: the masked answers, so that the interfaces can be compared.
class Passage {
 public:
  Passage(const CaseFolder& folder, std::string door) : folder_(folder), door_(std::move(door)) {}

  std::vector<Json> run() {
    lay_out_before(folder_, workspace());
    const auto door = open_door(door_, folder_, workspace(), scratch_.path() / "cache");
    for (const Step& step : folder_.steps) {
      if (step.tool.empty())
        act(step.arguments, workspace());
      else
        check_answer(step, door->call(step, bindings_));
    }
    if (const std::string wrong = door->close(); !wrong.empty()) complain("the end", wrong);
    check_workspace();
    return answers_;
  }

 private:
  fs::path workspace() const { return scratch_.path() / "workspace"; }

  void complain(const std::string& where, const std::string& what) {
    FAIL_CHECK(folder_.name << " through " << door_ << ", " << where << ":\n" << what);
  }

  void check_answer(const Step& step, const Json& answer) {
    const Matched matched = match(step.expected, answer, bindings_);
    if (!matched.differences.empty()) complain("'" + step.claim + "'", joined(matched.differences));
    answers_.push_back(matched.masked);
    const std::string text = answer.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.find(scratch_.path().string()) != std::string::npos)
      complain("'" + step.claim + "'", "an absolute path in the answer: " + text);
    SUCCEED();
  }

  void check_workspace() {
    if (fs::exists(workspace() / ".notesdb")) check_own_folder();
    if (!folder_.after_is_checked) return;
    const fs::path wanted = scratch_.path() / "wanted";
    lay_out_after(folder_, wanted);
    const std::string different =
        driving::difference(driving::read_tree(wanted), driving::read_tree(workspace()));
    if (!different.empty()) complain("the workspace", different);
  }

  void check_own_folder() {
    const fs::path own = workspace() / ".notesdb";
    if (only_reads(folder_)) complain("the workspace", "reading left a .notesdb folder behind");
    if (!fs::exists(own / ".gitignore"))
      complain("the workspace", ".notesdb does not ignore itself");
    if (fs::exists(own / "tmp") && !fs::is_empty(own / "tmp"))
      complain("the workspace", "a temporary file was left in .notesdb/tmp");
  }

  const CaseFolder& folder_;
  std::string door_;
  driving::ScratchFolder scratch_;
  Bindings bindings_;
  std::vector<Json> answers_;
};

// What the clock decides is no disagreement.
void drop_times(Json& answer) {
  if (answer.is_object()) {
    answer.erase("modified");
    answer.erase("change");
  }
  if (answer.is_structured())
    for (Json& member : answer)
      drop_times(member);
}

std::vector<std::string> disagreements(Json one, Json other) {
  drop_times(one);
  drop_times(other);
  return differences_between(one, other);
}

void compare_doors(const CaseFolder& folder,
                   const std::vector<Json>& mcp,
                   const std::vector<Json>& other,
                   const std::string& door) {
  std::size_t next = 0;
  for (const Step& step : folder.steps) {
    if (step.tool.empty()) continue;
    const auto differences = disagreements(mcp.at(next), other.at(next));
    if (!differences.empty())
      FAIL_CHECK(folder.name << ", '" << step.claim << "': mcp (expected) and " << door
                             << " (found) do not agree:\n"
                             << joined(differences));
    ++next;
  }
}

class CaseTest : public Catch::ITestInvoker {
 public:
  explicit CaseTest(fs::path path) : path_(std::move(path)) {}

  void invoke() const override {
    const CaseFolder folder = read_case_folder(cases_root(), path_);
    std::vector<Json> first;
    for (const std::string door : {"mcp", "call", "command"}) {
      if (!folder.runs_through(door)) continue;
      std::vector<Json> answers = Passage(folder, door).run();
      if (first.empty())
        first = std::move(answers);
      else
        compare_doors(folder, first, answers, door);
    }
  }

 private:
  fs::path path_;
};

class SessionTest : public Catch::ITestInvoker {
 public:
  explicit SessionTest(fs::path path) : path_(std::move(path)) {}

  void invoke() const override {
    const std::string wrong = run_session(path_);
    if (!wrong.empty())
      FAIL_CHECK(path_.lexically_relative(cases_root()).string() << ":\n" << wrong);
    SUCCEED();
  }

 private:
  fs::path path_;
};

template <typename Test>
void add_tests(const std::vector<fs::path>& paths) {
  for (const fs::path& path : paths) {
    const std::string name = path.lexically_relative(cases_root()).string();
    const std::string tag = "[" + name.substr(0, name.find('/')) + "]";
    Catch::AutoReg(
        new Test(path), CATCH_INTERNAL_LINEINFO, Catch::StringRef(), Catch::NameAndTags(name, tag));
  }
}

// Catch2 asks static objects for their tests; ours are found on the disk.
const bool kRegistered = [] {
  add_tests<CaseTest>(find_case_folders(cases_root()));
  add_tests<SessionTest>(find_sessions(cases_root()));
  return true;
}();

}  // namespace
}  // namespace notesdb::cases
