#include "cli/commands.h"
#include "cli/output.h"

namespace notesdb::cli {

namespace {

// Each script asks `notesdb __complete` (cli/candidates.h), so that none knows a command.

constexpr std::string_view bash_script =
    R"sh(# bash completion of notesdb, written by `notesdb completion bash`
_notesdb() {
  # bash splits words at = and :, notesdb does not.
  local words=() i word last piece
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((${#words[@]} > 0)) && [[ $word == [=:]* || ${COMP_WORDS[i-1]} == *[=:] ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  mapfile -t COMPREPLY < <(notesdb __complete -- "${words[@]}" 2>/dev/null | cut -f1)
  last=${words[-1]} piece=${COMP_WORDS[COMP_CWORD]}
  [[ $piece == [=:] ]] && piece=
  COMPREPLY=("${COMPREPLY[@]#"${last%"$piece"}"}")
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=\ ] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _notesdb notesdb
)sh";

constexpr std::string_view zsh_script = R"sh(#compdef notesdb
# zsh completion of notesdb, written by `notesdb completion zsh`
_notesdb() {
  local -a lines described
  local line
  lines=(${(f)"$(notesdb __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( ! $#lines )); then _files; return; fi
  for line in $lines; do
    described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  _describe 'notesdb' described
}
compdef _notesdb notesdb
)sh";

constexpr std::string_view fish_script =
    R"sh(# fish completion of notesdb, written by `notesdb completion fish`
function __notesdb_complete
  set -l words (commandline -opc)[2..-1]
  notesdb __complete -- $words (commandline -ct) 2>/dev/null
end
complete -c notesdb -a '(__notesdb_complete)'
)sh";

Exit run_completion(const Session& session) {
  const std::string shell = session.words.last("SHELL").value_or("");
  if (shell == "bash") {
    session.console.out(bash_script);
  } else if (shell == "zsh") {
    session.console.out(zsh_script);
  } else if (shell == "fish") {
    session.console.out(fish_script);
  } else {
    return report(
        session,
        unknown_name(ErrorCode::invalid_argument, "shell", shell, {"bash", "zsh", "fish"}),
        Exit::wrong_usage);
  }
  return Exit::done;
}

}  // namespace

Command completion_command() {
  return {
      .name = "completion",
      .summary = "Write completions for a shell",
      .positionals = {{.name = "SHELL", .choices = {"bash", "zsh", "fish"}}},
      .notes = {"Completes commands, options, databases, rows, columns, values, views and tools. "
                "bash: source <(notesdb completion bash)"},
      .run = run_completion};
}

}  // namespace notesdb::cli
