#include "cli/cli.h"

#include <algorithm>
#include <new>
#include <optional>
#include <string_view>

#include <unistd.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/output.h"
#include "cli/terminal.h"

namespace notesdb::cli {

namespace {

Exit fail_usage(Console& console, const Error& error, const std::string& hint, bool as_json) {
  Words words;
  if (as_json) words.add("json", "");
  Exit exit = report({words, console}, error, Exit::wrong_usage);
  if (!as_json) console.err(hint);
  return exit;
}

Error missing(const Positional& positional) {
  return {ErrorCode::invalid_argument, "missing argument " + positional.name, Map{}};
}

Exit run_command(const Command& command, const std::vector<std::string>& words, Console& console) {
  const std::string hint = "usage: " + usage(command) + "; notesdb help " + command.name;
  Result<Words> parsed = parse_words(command, words);
  if (!parsed) return fail_usage(console, parsed.error(), hint, asks_for_json(words));
  if (parsed->has("help")) {
    console.out(help_of(command));
    return Exit::done;
  }
  for (const Positional& positional : command.positionals) {
    if (positional.required && !parsed->has(positional.name))
      return fail_usage(console, missing(positional), hint, parsed->has("json"));
  }
  const std::string colour = parsed->last("color").value_or("auto");
  const Flag& flag = *std::ranges::find(global_flags(), "color", &Flag::name);
  if (std::ranges::find(flag.choices, colour) == flag.choices.end()) {
    return fail_usage(console,
                      unknown_name(ErrorCode::invalid_argument, "--color", colour, flag.choices),
                      hint,
                      parsed->has("json"));
  }
  console.set_colours(wants_colours(colour, own_environment().environment, console.is_terminal()));
  return command.run({*parsed, console});
}

// A program named alone, or with flags only: --version and --help are commands too.
Exit run_without_command(const Commands& commands,
                         const std::vector<std::string>& words,
                         Console& console) {
  for (const std::string& word : words) {
    if (word == "--version") return run_command(*commands.find("version"), {}, console);
    if (word == "--help" || word == "-h") {
      console.out(help_of(commands.all()));
      return Exit::done;
    }
  }
  console.err(help_of(commands.all()));
  return Exit::wrong_usage;
}

Exit run_words(const std::vector<std::string>& words,
               std::vector<OutsideCommand> doors,
               Console& console) {
  Commands commands(std::move(doors));
  if (words.size() > 2 && words[0] == "__complete" && words[1] == "--") {
    console.out(candidate_lines(commands, {words.begin() + 2, words.end()}));
    return Exit::done;
  }
  std::optional<std::size_t> place = find_command_word(words);
  if (!place) return run_without_command(commands, words, console);
  const std::optional<Command> command = commands.find(words[*place]);
  if (!command) {
    Error error =
        unknown_name(ErrorCode::invalid_argument, "command", words[*place], commands.names());
    return fail_usage(console, error, "see: notesdb help", asks_for_json(words));
  }
  std::vector<std::string> rest = words;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(*place));
  return run_command(*command, rest, console);
}

}  // namespace

int run(const std::vector<std::string>& words, std::vector<OutsideCommand> doors) {
  try {
    Console console(reader_of_process(), writer_for(words));
    Exit exit = run_words(words, std::move(doors), console);
    if (!console.flush()) {
      console.err("notesdb: cannot write to standard output");
      exit = Exit::failed;
    }
    console.do_afterwards();
    return static_cast<int>(exit);
  } catch (const std::bad_alloc&) {
    // Said without asking for more of it.
    constexpr std::string_view words_left = "notesdb: there is not enough memory\n";
    if (::write(STDERR_FILENO, words_left.data(), words_left.size()) < 0) return 1;
    return static_cast<int>(Exit::failed);
  }
}

}  // namespace notesdb::cli
