// Command: one command of the command line, told once: parsing, help, completions and
// docs/commands.md all follow from it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"
#include "core/result.h"
#include "database/settings.h"
#include "database/workspace.h"

namespace notesdb::cli {

struct Positional {
  std::string name;  // DB, ROW, TOOL
  std::string description = {};
  bool required = true;
  std::vector<std::string> choices = {};
};

struct Flag {
  std::string name;   // without dashes: "where"
  std::string value;  // what the help calls its value; empty: a switch
  std::string description;
  bool repeats = false;
  char letter = 0;  // the short form
  std::vector<std::string> choices = {};
};

// What stood on the command line, still as text.
class Words {
 public:
  void add(std::string_view name, std::string value);
  // Whether a flag or positional of this name was given.
  bool has(std::string_view name) const;
  // The last value; empty if there is none.
  std::optional<std::string> last(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;

 private:
  struct Entry {
    std::string name;
    std::string value;
  };
  std::vector<Entry> entries_;
};

// Where a command's settings come from, and what is open already.
struct CommandEnvironment {
  Environment environment;
  std::string folder;  // the current one
  // The workspace that these settings name, where this process keeps one; else a null pointer.
  std::shared_ptr<Workspace> workspace = {};
};
// Those of this process.
const CommandEnvironment& own_environment();

// What a command runs in.
struct Session {
  const Words& words;
  Console& console;
  const CommandEnvironment& around = own_environment();

  // The settings, read when a command first needs them; and what the words say about them.
  Result<Settings> settings() const;
  SettingFlags setting_flags() const;
  // The workspace of the settings: the one that is open, or one of its own.
  Result<std::shared_ptr<Workspace>> workspace() const;
};

// How a command ends: what the process says to its shell.
enum class Exit { done = 0, failed = 1, wrong_usage = 2 };

struct Command {
  std::string name;
  std::string summary;  // one sentence
  std::vector<Positional> positionals = {};
  std::vector<Flag> flags = {};
  std::vector<std::string> notes = {};  // paragraphs of its help
  std::function<Exit(const Session&)> run = {};
};

// The flags that may stand before or after any command.
const std::vector<Flag>& global_flags();

// The words that an error or the help shows: "notesdb query DB [options]".
std::string usage(const Command& command);

// Parsing: the words of a command line, sorted into flags and positionals by what a command says
// of itself. Values stay text; their meaning is for the operation to judge.

// Where the command stands among the words: the first that is neither a flag nor a flag's value.
// Empty if there is none.
std::optional<std::size_t> find_command_word(const std::vector<std::string>& words);

// `words` without the command itself. Fails with invalid_argument, naming what is unknown (and the
// nearest flag), missing or too much.
Result<Words> parse_words(const Command& command, const std::vector<std::string>& words);
// Only the flags that every command has; for errors before a command is known.
bool asks_for_json(const std::vector<std::string>& words);

}  // namespace notesdb::cli
