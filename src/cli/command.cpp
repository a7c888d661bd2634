#include "cli/command.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "cli/output.h"
#include "database/cache_place.h"

namespace notesdb::cli {

void Words::add(std::string_view name, std::string value) {
  entries_.push_back({std::string(name), std::move(value)});
}

bool Words::has(std::string_view name) const {
  return std::ranges::find(entries_, name, &Entry::name) != entries_.end();
}

std::optional<std::string> Words::last(std::string_view name) const {
  std::optional<std::string> found;
  for (const Entry& entry : entries_)
    if (entry.name == name) found = entry.value;
  return found;
}

std::vector<std::string> Words::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const Entry& entry : entries_)
    if (entry.name == name) values.push_back(entry.value);
  return values;
}

namespace {

std::string current_folder() {
  std::unique_ptr<char, void (*)(void*)> folder(getcwd(nullptr, 0), std::free);
  return folder == nullptr ? "." : folder.get();
}

// What a command may spend, after its answer, on what earlier changes have left.
constexpr std::chrono::milliseconds tidy_budget(20);

}  // namespace

const CommandEnvironment& own_environment() {
  static const CommandEnvironment own{process_environment(), current_folder()};
  return own;
}

SettingFlags Session::setting_flags() const {
  SettingFlags flags;
  flags.root = words.last("root");
  if (words.has("read-only")) flags.read_only = "true";
  if (words.has("no-cache")) flags.cache = "off";
  flags.query_timeout = words.last("query-timeout");
  flags.query_memory = words.last("query-memory");
  flags.max_bytes = words.last("max-bytes");
  flags.confirm = words.last("confirm");
  return flags;
}

Result<Settings> Session::settings() const {
  Result<Settings> read = read_settings(setting_flags(), around.environment, around.folder);
  static std::once_flag told;
  if (read && read->cache.value && read->cache_folder.empty()) {
    const std::string problem = cache_problem_of(around.environment);
    if (!problem.empty()) std::call_once(told, [&] { console.err("warning: " + problem); });
  }
  return read;
}

Result<std::shared_ptr<Workspace>> Session::workspace() const {
  if (around.workspace != nullptr) return around.workspace;
  Result<Settings> read = settings();
  if (!read) return read.error();
  Result<std::unique_ptr<Workspace>> opened = Workspace::open(*read);
  if (!opened) return opened.error();
  std::shared_ptr<Workspace> workspace = *std::move(opened);
  console.afterwards([workspace] { workspace->tidy(tidy_budget); });
  return workspace;
}

const std::vector<Flag>& global_flags() {
  static const std::vector<Flag> flags{
      {.name = "root",
       .value = "DIR",
       .description = "the workspace; default: $NOTESDB_ROOT, else "
                      "the nearest folder with a notesdb.yaml"},
      {.name = "read-only", .value = "", .description = "refuse every write"},
      {.name = "no-cache", .value = "", .description = "ignore the cache"},
      {.name = "no-server", .value = "", .description = "bypass a running server"},
      {.name = "query-timeout",
       .value = "TIME",
       .description = "stop a question after this long (default 30s)"},
      {.name = "query-memory",
       .value = "SIZE",
       .description = "the most memory that a question may take (default 1GiB)"},
      {.name = "no-pager", .value = "", .description = "do not page more than a screen"},
      {.name = "color",
       .value = "auto|always|never",
       .description = "colour the output; default auto: on a terminal, unless NO_COLOR is set",
       .choices = {"auto", "always", "never"}},
      {.name = "output",
       .value = "FORMAT",
       .description = "table, json, jsonl, csv, tsv, yaml, md or ids",
       .letter = 'o',
       .choices = output_format_names()},
      {.name = "json", .value = "", .description = "the same as -o json"},
      {.name = "help", .value = "", .description = "explain the command", .letter = 'h'},
  };
  return flags;
}

std::string usage(const Command& command) {
  std::string line = "notesdb " + command.name;
  for (const Positional& positional : command.positionals)
    line += positional.required ? " " + positional.name : " [" + positional.name + "]";
  if (!command.flags.empty()) line += " [options]";
  return line;
}

namespace {

Error wrong_usage(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), Map{}};
}

std::string dashed(const Flag& flag) {
  std::string names = "--" + flag.name;
  if (flag.letter != 0) names = std::string("-") + flag.letter + "," + names;
  return names;
}

// What CLI11 is told of a flag or positional. What words mean is not its business, so it is told of
// no types.
struct Known {
  enum class Takes { nothing, value, itself };

  std::string name;
  std::string spelled;  // -w,--where; of a positional its name
  Takes takes;
  friend bool operator==(const Known&, const Known&) = default;
};

// Whether one of the words may be this flag, or hold its letter.
bool is_mentioned(const Flag& flag, const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    if (word.starts_with("--")) return word.substr(2).starts_with(flag.name);
    return flag.letter != 0 && word.starts_with('-') && word.find(flag.letter) != word.npos;
  });
}

// The flag that a word names, `--flag`, `--flag=value` or `-f`; a null pointer if it names none.
const Flag* flag_of(const Command& command, std::string_view word) {
  const auto is_named = [&](const Flag& flag) {
    if (!word.starts_with("--"))
      return word.size() == 2 && word[0] == '-' && word[1] == flag.letter;
    return word.substr(2, word.find('=') - 2) == flag.name;
  };
  for (const auto* flags : {&global_flags(), &command.flags}) {
    const auto found = std::ranges::find_if(*flags, is_named);
    if (found != flags->end()) return &*found;
  }
  return nullptr;
}

// `--flag=value` as two words, and `--switch=value` refused: CLI11 takes an empty value for none,
// and gives some values of a switch a meaning.
Result<std::vector<std::string>> with_values_apart(const Command& command,
                                                   const std::vector<std::string>& words) {
  std::vector<std::string> apart;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      apart.insert(apart.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    const Flag* flag = flag_of(command, word);
    const std::size_t equals = flag == nullptr ? std::string::npos : word.find('=');
    apart.push_back(word.substr(0, equals));
    if (flag == nullptr) continue;
    const bool is_switch = flag->value.empty();
    if (equals != std::string::npos) {
      if (is_switch) return wrong_usage("--" + flag->name + " takes no value");
      apart.push_back(word.substr(equals + 1));
    } else if (!is_switch && i + 1 < words.size()) {
      apart.push_back(words[++i]);
    }
  }
  return apart;
}

// No flag that no word may be, since an option that is not there costs as much as one that is.
std::vector<Known> known_to(const Command& command, const std::vector<std::string>& words) {
  std::vector<Known> known;
  for (const auto* flags : {&global_flags(), &command.flags}) {
    for (const Flag& flag : *flags) {
      const auto takes = flag.value.empty() ? Known::Takes::nothing : Known::Takes::value;
      if (is_mentioned(flag, words)) known.push_back({flag.name, dashed(flag), takes});
    }
  }
  for (const Positional& positional : command.positionals)
    known.push_back({positional.name, positional.name, Known::Takes::itself});
  return known;
}

// Sorts words by CLI11, again and again until it fails.
class Parser {
 public:
  explicit Parser(std::vector<Known> known) : known_(std::move(known)) {
    app_.set_help_flag();
    app_.allow_extras();
    for (const Known& one : known_)
      options_.push_back(add(one));
  }

  bool knows(const std::vector<Known>& known) const { return known == known_; }

  Result<Words> parse(const Command& command, std::vector<std::string> words) {
    std::ranges::reverse(words);
    try {
      app_.parse(std::move(words));
    } catch (const CLI::ArgumentMismatch& problem) {
      std::string_view message = problem.what();
      return wrong_usage(std::string(message.substr(0, message.find(':'))) + " needs a value");
    } catch (const CLI::ParseError& problem) {
      return wrong_usage(problem.what());
    }
    std::vector<std::string> rest = app_.remaining();
    std::erase(rest, "--");
    if (!rest.empty()) return refuse(command, rest.front());
    return collect();
  }

 private:
  CLI::Option* add(const Known& known) {
    if (known.takes == Known::Takes::nothing) return app_.add_flag(known.spelled);
    CLI::Option* option = app_.add_option(known.spelled, CLI::callback_t());
    if (known.takes == Known::Takes::itself) return option;
    option->expected(1)->allow_extra_args(false);
    return option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  static Error refuse(const Command& command, const std::string& word) {
    if (!word.starts_with('-') || word == "-")
      return wrong_usage("unexpected argument '" + word + "'");
    std::vector<std::string> choices;
    for (const auto* flags : {&global_flags(), &command.flags}) {
      for (const Flag& flag : *flags)
        choices.push_back("--" + flag.name);
    }
    return unknown_name(
        ErrorCode::invalid_argument, "option", word.substr(0, word.find('=')), choices);
  }

  Result<Words> collect() const {
    Words words;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (options_[i]->count() == 0) continue;
      for (const std::string& value : options_[i]->results())
        words.add(known_[i].name, value);
    }
    return words;
  }

  std::vector<Known> known_;
  CLI::App app_;
  std::vector<CLI::Option*> options_;  // of each that is known
};

// By the parser that this thread used last, if it knows the same: to make one takes longer than to
// use it, and a server is asked the like again and again.
Result<Words> sort_words(const Command& command, std::vector<std::string> words) {
  thread_local std::unique_ptr<Parser> kept;
  std::vector<Known> known = known_to(command, words);
  std::unique_ptr<Parser> parser = std::move(kept);
  if (!parser || !parser->knows(known)) parser = std::make_unique<Parser>(std::move(known));
  Result<Words> sorted = parser->parse(command, std::move(words));
  if (sorted) kept = std::move(parser);
  return sorted;
}

bool takes_value(const std::string& word) {
  if (word.find('=') != std::string::npos) return false;
  return std::ranges::any_of(global_flags(), [&](const Flag& flag) {
    if (flag.value.empty()) return false;
    return word == "--" + flag.name || (flag.letter != 0 && word == std::string("-") + flag.letter);
  });
}

}  // namespace

std::optional<std::size_t> find_command_word(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with('-')) return i;
    if (takes_value(words[i])) ++i;
  }
  return std::nullopt;
}

Result<Words> parse_words(const Command& command, const std::vector<std::string>& words) {
  auto apart = with_values_apart(command, words);
  if (!apart) return apart.error();
  return sort_words(command, *std::move(apart));
}

bool asks_for_json(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--json" || words[i] == "-ojson" || words[i] == "--output=json") return true;
    bool names_format = words[i] == "-o" || words[i] == "--output";
    if (names_format && i + 1 < words.size() && words[i + 1] == "json") return true;
  }
  return false;
}

}  // namespace notesdb::cli
