#include "cli/commands.h"

#include <algorithm>
#include <array>

#include "cli/operation_command.h"
#include "cli/output.h"
#include "operations/catalog.h"

namespace notesdb::cli {

namespace {

struct OwnCommand {
  std::string_view name;
  Command (*make)(const Commands& commands);
};

// The commands that are no operations, in the order of the help. Making one costs more than all the
// names, so only those that are asked for are made.
constexpr std::array<OwnCommand, 14> own_commands{{
    {"check", [](const Commands&) { return check_command(); }},
    {"merge-file", [](const Commands&) { return merge_file_command(); }},
    {"infer", [](const Commands&) { return infer_command(); }},
    {"adopt", [](const Commands&) { return adopt_command(); }},
    {"export", [](const Commands&) { return export_command(); }},
    {"import", [](const Commands&) { return import_command(); }},
    {"edit", [](const Commands&) { return edit_command(); }},
    {"watch", [](const Commands&) { return watch_command(); }},
    {"tools", [](const Commands&) { return tools_command(); }},
    {"call", [](const Commands&) { return call_command(); }},
    {"config", [](const Commands&) { return config_command(); }},
    {"completion", [](const Commands&) { return completion_command(); }},
    {"help", help_command},
    {"version", [](const Commands&) { return version_command(); }},
}};

struct Alias {
  std::string_view name;
  std::string_view command;
};
constexpr std::array<Alias, 7> aliases{{{"ls", "list"},
                                        {"rm", "delete"},
                                        {"mv", "rename"},
                                        {"new", "insert"},
                                        {"set", "update"},
                                        {"show", "get"},
                                        {"lint", "check"}}};

}  // namespace

std::string_view command_meant(std::string_view name) {
  const auto* alias = std::ranges::find(aliases, name, &Alias::name);
  return alias == aliases.end() ? name : alias->command;
}

std::vector<std::string> aliases_of(std::string_view command) {
  std::vector<std::string> names;
  for (const Alias& alias : aliases)
    if (alias.command == command) names.emplace_back(alias.name);
  return names;
}

std::vector<Command> Commands::all() const {
  std::vector<Command> all;
  for (const auto* operations : {&catalog(), &command_catalog()}) {
    for (const Operation* operation : *operations)
      if (!operation->command.empty()) all.push_back(command_of(*operation));
  }
  for (const OutsideCommand& door : doors_)
    all.push_back(door.make());
  for (const OwnCommand& own : own_commands)
    all.push_back(own.make(*this));
  return all;
}

std::optional<Command> Commands::find(std::string_view given) const {
  const std::string_view name = command_meant(given);
  const auto door = std::ranges::find(doors_, name, &OutsideCommand::name);
  if (door != doors_.end()) return door->make();
  const auto own = std::ranges::find(own_commands, name, &OwnCommand::name);
  if (own != own_commands.end()) return own->make(*this);
  const Operation* operation = find_command(name);
  return operation == nullptr ? std::nullopt : std::optional(command_of(*operation));
}

std::vector<std::string> Commands::names() const {
  std::vector<std::string> names;
  for (const Command& command : all())
    names.push_back(command.name);
  return names;
}

namespace {

constexpr std::size_t line_width = 92;
constexpr std::size_t widest_flag = 30;

std::string spelled(const Flag& flag) {
  std::string text = flag.letter == 0 ? "" : std::string("-") + flag.letter + ", ";
  text += "--" + flag.name;
  if (!flag.value.empty()) text += " " + flag.value;
  return text;
}

// Words broken into lines; every line but the first begins with `indent` spaces.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    if (column + word.size() + 1 > line_width && column > indent) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    begin = end + 1;
  }
  return out;
}

std::string entry(const std::string& left, const std::string& right, std::size_t width) {
  std::string line = "  " + left;
  std::size_t indent = width + 4;
  if (right.empty()) return line + "\n";
  if (left.size() > width)
    return line + "\n" + std::string(indent, ' ') + wrapped(right, indent) + "\n";
  line.append(indent - line.size(), ' ');
  return line + wrapped(right, indent) + "\n";
}

std::string flags_text(const std::vector<Flag>& flags) {
  std::size_t width = 0;
  for (const Flag& flag : flags)
    if (spelled(flag).size() <= widest_flag) width = std::max(width, spelled(flag).size());
  std::string out;
  for (const Flag& flag : flags)
    out += entry(spelled(flag), flag.description, width);
  return out;
}

std::string markdown_flags(const std::vector<Flag>& flags) {
  std::string out = "| option | what it does |\n|---|---|\n";
  for (const Flag& flag : flags) {
    std::string name = spelled(flag);
    for (std::size_t at = 0; (at = name.find('|', at)) != std::string::npos; at += 2)
      name.insert(at, "\\");
    out += "| `" + name + "` | " + flag.description + " |\n";
  }
  return out;
}

std::string paragraphs(const Command& command) {
  std::string out;
  for (const std::string& note : command.notes)
    out += wrapped(note, 0) + "\n\n";
  return out;
}

// "Also: notesdb ls." and a blank line; empty if a command has one name.
std::string other_names(const Command& command) {
  std::string names;
  for (const std::string& alias : aliases_of(command.name))
    names += (names.empty() ? "Also: notesdb " : ", notesdb ") + alias;
  return names.empty() ? "" : names + ".\n\n";
}

// docs/commands.md as a whole.
std::string commands_markdown(const std::vector<Command>& commands) {
  std::string out =
      "# Commands\n\nWritten by `notesdb help --markdown`; a test compares the two. Data goes to "
      "standard output, the\nrest to standard error. Exit status: 0 done (also when nothing was "
      "found), 1 refused or failed,\n2 wrong usage.\n\n## Options of every command\n\n";
  out += markdown_flags(global_flags());
  for (const Command& command : commands) {
    out += "\n## " + command.name + "\n\n    " + usage(command) + "\n\n" + command.summary + ".\n";
    if (const std::string names = other_names(command); !names.empty())
      out += "\n" + names.substr(0, names.size() - 1);
    for (const std::string& note : command.notes)
      out += "\n" + wrapped(note, 0) + "\n";
    if (!command.flags.empty()) out += "\n" + markdown_flags(command.flags);
  }
  return out;
}

Exit run_help(const std::vector<Command>& commands, const Session& session) {
  if (session.words.has("markdown")) {
    session.console.out(commands_markdown(commands));
    return Exit::done;
  }
  std::optional<std::string> name = session.words.last("COMMAND");
  if (!name) {
    session.console.out(help_of(commands));
    return Exit::done;
  }
  auto found = std::ranges::find(commands, command_meant(*name), &Command::name);
  if (found != commands.end()) {
    session.console.out(help_of(*found));
    return Exit::done;
  }
  std::vector<std::string> names;
  std::ranges::transform(commands, std::back_inserter(names), &Command::name);
  return report(session,
                unknown_name(ErrorCode::invalid_argument, "command", *name, names),
                Exit::wrong_usage);
}

}  // namespace

std::string help_of(const std::vector<Command>& commands) {
  std::size_t width = 0;
  for (const Command& command : commands)
    width = std::max(width, usage(command).size());
  std::string out =
      "notesdb: folders of notes as databases.\n\nusage: notesdb COMMAND [options]\n\n";
  for (const Command& command : commands) {
    std::string words = command.name;
    for (const Positional& positional : command.positionals)
      words += positional.required ? " " + positional.name : " [" + positional.name + "]";
    constexpr std::size_t column = 22;
    out += entry(words, command.summary, column);
  }
  return out + "\noptions of every command:\n" + flags_text(global_flags()) +
         "\nnotesdb help COMMAND tells more.\n";
}

std::string help_of(const Command& command) {
  std::string out = command.summary + ".\n\nusage: " + usage(command) + "\n\n" +
                    other_names(command) + paragraphs(command);
  if (!command.flags.empty()) out += "options:\n" + flags_text(command.flags) + "\n";
  return out + "options of every command:\n" + flags_text(global_flags());
}

Command help_command(const Commands& commands) {
  Command command{.name = "help",
                  .summary = "Explain the commands",
                  .positionals = {{.name = "COMMAND", .required = false}},
                  .flags = {{"markdown", "", "all of it, as docs/commands.md"}}};
  command.run = [&commands](const Session& session) { return run_help(commands.all(), session); };
  return command;
}

Command version_command() {
  return {.name = "version", .summary = "Print the version", .run = [](const Session& session) {
            session.console.out("notesdb " NOTESDB_VERSION "\n");
            return Exit::done;
          }};
}

}  // namespace notesdb::cli
