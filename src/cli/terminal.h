// Terminal: the manners of a program that a person is looking at: text that cannot command the
// terminal, colour, the pager, what Ctrl-C says, and that a command is still running.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"

namespace notesdb::cli {

// Output that no file's contents can use to command a terminal: JSON or quoted YAML, whose C0 controls are escaped already: C1 controls and bidi overrides as
// \uXXXX, so that it stays the same JSON.
std::string escape_inside_quotes(std::string_view text);

// Colour: what a terminal shows bold, dim, red or green.

// --color auto|always|never; auto is a terminal where NO_COLOR is not set (https://no-color.org).
bool wants_colours(std::string_view choice, const Environment& environment, bool is_terminal);
// The choice among the words of a command line that are not sorted yet.
std::string colour_choice(const std::vector<std::string>& words);

// A table with its header bold and the rule below it dim.
std::string coloured_table(const std::string& table);
std::string coloured_title(const std::string& line);
// A unified diff with what goes red and what comes green.
std::string coloured_diff(const std::string& diff);

// Pager: text of more than a screen goes through $PAGER (`less` where none is named) when a person
// reads it.

// How a process with these words writes: through a pager where standard output is a terminal,
// unless --no-pager says otherwise or PAGER is empty.
Console::Write writer_for(const std::vector<std::string>& words);

// Interrupt: what Ctrl-C leaves after, said before the process ends by the signal.

// While one lives, SIGINT prints its sentence on standard error. One at a time; a signal that is
// ignored stays ignored.
class InterruptNotice {
 public:
  // The text must outlive the object: it is read by the handler.
  explicit InterruptNotice(std::string_view sentence);
  InterruptNotice(const InterruptNotice&) = delete;
  InterruptNotice& operator=(const InterruptNotice&) = delete;
  ~InterruptNotice();

 private:
  bool is_set_ = false;
};

constexpr std::string_view nothing_changed = "notesdb: interrupted; nothing was changed\n";
constexpr std::string_view whole_or_not =
    "notesdb: interrupted; the change was made as a whole or not at all\n";

// Waiting: tells a person that a command is still running.
//
//   notesdb check: 3 s                                from the first second on, on standard error,
//   notesdb search: 3 s, 1200 of 50000 rows indexed   rewritten
//
// The line takes itself back before anything else is printed. Nothing is said where standard error
// is no terminal, and by a server that works for somebody else's command.
class Waiting {
 public:
  Waiting(const Session& session, const std::string& command);
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting();

  // How far it is, for the next second.
  void show(std::string progress);

 private:
  void count(const std::string& command);

  std::mutex mutex_;
  std::string progress_;
  std::condition_variable ending_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace notesdb::cli
