#include "cases/interface.h"

#include <stdexcept>

#include "cases/command_line.h"

namespace notesdb::cases {
namespace {

using driving::Environment;
using driving::Finished;
using driving::Words;

class McpDoor : public Door {
 public:
  McpDoor(const Words& flags, const Environment& environment) : client_(flags, environment) {}

  Json call(const Step& step, const Bindings& bindings) override {
    return client_.call(step.tool, substitute(step.arguments, bindings));
  }

  std::string close() override {
    const Finished done = client_.finish();
    if (done.exit_code == 0) return "";
    return "the server ended with " + std::to_string(done.exit_code) + ": " + done.err;
  }

 private:
  driving::McpClient client_;
};

// What a command said, as the answer it stands for. A refusal is JSON on standard error.
Json read_answer(const Finished& done) {
  Json answer =
      Json::parse(done.exit_code == 0 || done.err.empty() ? done.out : done.err, nullptr, false);
  if (answer.is_discarded() && done.exit_code != 0) answer = Json::parse(done.out, nullptr, false);
  if (answer.is_discarded() || (done.exit_code != 0) != answer.contains("error"))
    return {{"exit", done.exit_code}, {"stdout", done.out}, {"stderr", done.err}};
  return answer;
}

class CommandDoor : public Door {
 public:
  CommandDoor(bool as_typed, Words flags, Environment environment)
      : as_typed_(as_typed), flags_(std::move(flags)), environment_(std::move(environment)) {}

  Json call(const Step& step, const Bindings& bindings) override {
    Words words{driving::program()};
    if (as_typed_ && step.words != "-") {
      for (const std::string& word : split(fill_in(step.words, bindings)))
        words.push_back(word);
    } else {
      words.insert(words.end(), {"call", step.tool, substitute(step.arguments, bindings).dump()});
    }
    words.emplace_back("--json");
    words.insert(words.end(), flags_.begin(), flags_.end());
    Json answer = read_answer(driving::run(words, environment_));
    // A command gives every row where a tool gives fifty, and says of no limit.
    const bool is_unlimited =
        answer.contains("total") && answer.contains("truncated") && !answer.contains("limit");
    if (is_unlimited && answer.value("total", 0) <= 50) answer["limit"] = 50;
    return answer;
  }

 private:
  bool as_typed_;
  Words flags_;
  Environment environment_;
};

}  // namespace

std::unique_ptr<Door> open_door(const std::string& name,
                                const CaseFolder& folder,
                                const std::filesystem::path& workspace,
                                const std::filesystem::path& cache) {
  Words flags{"--root", workspace.string()};
  flags.insert(flags.end(), folder.flags.begin(), folder.flags.end());
  Environment environment = folder.environment;
  environment["XDG_CACHE_HOME"] = cache.string();
  environment["XDG_STATE_HOME"] = cache.string() + "-state";
  environment["TZ"] = "UTC";
  if (name == "mcp") return std::make_unique<McpDoor>(flags, environment);
  return std::make_unique<CommandDoor>(name == "command", flags, environment);
}

}  // namespace notesdb::cases
