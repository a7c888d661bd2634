#include <algorithm>

#include "cli/commands.h"
#include "cli/output.h"

namespace notesdb::cli {

namespace {

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words)
    out += (out.empty() ? "" : std::string(separator)) + word;
  return out;
}

std::vector<std::string> flag_words(const std::vector<Flag>& flags) {
  std::vector<std::string> words;
  for (const Flag& flag : flags)
    words.push_back("--" + flag.name);
  return words;
}

std::vector<std::string> command_names(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  std::ranges::transform(commands, std::back_inserter(names), &Command::name);
  return names;
}

bool takes_database(const Command& command) {
  return !command.positionals.empty() && command.positionals.front().name == "DB";
}

// Text inside single quotes of a shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

constexpr std::string_view bash_head =
    R"sh(# bash completion of notesdb, written by `notesdb completion bash`
_notesdb() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= i options= databases=
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --root | -o | --output) ((i++)) ;;
      -*) ;;
      *) command=${COMP_WORDS[i]}; break ;;
    esac
  done
  COMPREPLY=()
  case $before in
    -o | --output) mapfile -t COMPREPLY < <(compgen -W 'FORMATS' -- "$word"); return ;;
    --root) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
    --*-file) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
  esac
  case $command in
    '') options='COMMANDS' ;;
)sh";

constexpr std::string_view bash_tail = R"sh(  esac
  if [[ $word == -* || -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options GLOBAL" -- "$word")
  elif [[ -n $databases && $before == "$command" ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(notesdb list -o ids 2>/dev/null)" -- "$word")
  elif [[ -z $databases ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  fi
}
complete -o default -F _notesdb notesdb
)sh";

std::string filled(std::string text, const std::string& name, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
    text.replace(at, name.size(), value);
  return text;
}

std::vector<std::string> words_after(const Command& command) {
  std::vector<std::string> words = flag_words(command.flags);
  for (const Positional& positional : command.positionals)
    words.insert(words.end(), positional.choices.begin(), positional.choices.end());
  return words;
}

std::string bash_script(const std::vector<Command>& commands) {
  std::string out(bash_head);
  out = filled(out, "FORMATS", joined(output_format_names(), " "));
  out = filled(out, "COMMANDS", joined(command_names(commands), " "));
  for (const Command& command : commands) {
    out += "    " + command.name + ") options='" + joined(words_after(command), " ") + "'";
    if (takes_database(command)) out += "; databases=yes";
    out += " ;;\n";
  }
  return out + filled(std::string(bash_tail), "GLOBAL", joined(flag_words(global_flags()), " "));
}

// zsh reads [ ] : in descriptions as its own.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_value(const Flag& flag) {
  if (flag.value.empty()) return "";
  std::string action;
  if (!flag.choices.empty()) action = "(" + joined(flag.choices, " ") + ")";
  if (flag.value == "FILE") action = "_files";
  if (flag.value == "DIR") action = "_files -/";
  return ":" + zsh_text(flag.value) + ":" + action;
}

std::string zsh_flag(const Flag& flag) {
  std::string text = flag.repeats ? "*" : "";
  text += "--" + flag.name + "[" + zsh_text(flag.description) + "]" + zsh_value(flag);
  return quoted(text);
}

std::string zsh_script(const std::vector<Command>& commands) {
  std::string out =
      "#compdef notesdb\n# written by `notesdb completion zsh`\n"
      "_notesdb_databases() { compadd -- ${(f)\"$(notesdb list -o ids 2>/dev/null)\"} }\n"
      "_notesdb() {\n  local -a global commands\n  global=(\n";
  for (const Flag& flag : global_flags())
    out += "    " + zsh_flag(flag) + "\n";
  out += "  )\n  commands=(\n";
  for (const Command& command : commands)
    out += "    " + quoted(command.name + ":" + zsh_text(command.summary)) + "\n";
  out +=
      "  )\n  local context state line\n  _arguments -C $global '1:command:->command' "
      "'*::argument:->argument'\n  case $state in\n    command) _describe command commands ;;\n"
      "    argument)\n      case $words[1] in\n";
  for (const Command& command : commands) {
    out += "        " + command.name + ") _arguments $global";
    for (const Flag& flag : command.flags)
      out += " " + zsh_flag(flag);
    if (takes_database(command)) out += " '1:database:_notesdb_databases'";
    for (const Positional& positional : command.positionals)
      if (!positional.choices.empty()) out += " '1:word:(" + joined(positional.choices, " ") + ")'";
    out += " ;;\n";
  }
  return out + "      esac ;;\n  esac\n}\ncompdef _notesdb notesdb\n";
}

std::string fish_flag(const Flag& flag, const std::string& condition) {
  std::string line = "complete -c notesdb" + condition + " -l " + flag.name;
  if (flag.letter != 0) line += std::string(" -s ") + flag.letter;
  if (!flag.value.empty()) line += flag.value == "FILE" || flag.value == "DIR" ? " -rF" : " -x";
  if (!flag.choices.empty()) line += " -a " + quoted(joined(flag.choices, " "));
  return line + " -d " + quoted(flag.description) + "\n";
}

std::string fish_script(const std::vector<Command>& commands) {
  std::string out = "# written by `notesdb completion fish`\ncomplete -c notesdb -f\n";
  for (const Flag& flag : global_flags())
    out += fish_flag(flag, "");
  for (const Command& command : commands) {
    out += "complete -c notesdb -n __fish_use_subcommand -a " + command.name + " -d " +
           quoted(command.summary) + "\n";
    std::string condition = " -n '__fish_seen_subcommand_from " + command.name + "'";
    if (takes_database(command))
      out += "complete -c notesdb" + condition + " -a '(notesdb list -o ids 2>/dev/null)'\n";
    for (const Positional& positional : command.positionals)
      if (!positional.choices.empty())
        out += "complete -c notesdb" + condition + " -a " +
               quoted(joined(positional.choices, " ")) + "\n";
    for (const Flag& flag : command.flags)
      out += fish_flag(flag, condition);
  }
  return out;
}

Exit run_completion(const std::vector<Command>& commands, const Session& session) {
  std::string shell = session.words.last("SHELL").value_or("");
  if (shell == "bash")
    session.console.out(bash_script(commands));
  else if (shell == "zsh")
    session.console.out(zsh_script(commands));
  else if (shell == "fish")
    session.console.out(fish_script(commands));
  else
    return report(
        session,
        unknown_name(ErrorCode::invalid_argument, "shell", shell, {"bash", "zsh", "fish"}),
        Exit::wrong_usage);
  return Exit::done;
}

}  // namespace

Command completion_command(const Commands& commands) {
  Command command{.name = "completion",
                  .summary = "Write completions for a shell",
                  .positionals = {{.name = "SHELL", .choices = {"bash", "zsh", "fish"}}},
                  .notes = {"source <(notesdb completion bash)"}};
  command.run = [&commands](const Session& session) {
    return run_completion(commands.all(), session);
  };
  return command;
}

}  // namespace notesdb::cli
