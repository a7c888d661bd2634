#include "cli/completion.h"

#include <algorithm>
#include <optional>

#include "bases/base_files.h"
#include "cli/output.h"
#include "index/database_folder.h"
#include "operations/catalog.h"

namespace notesdb::cli {

namespace {

using Texts = std::vector<std::string>;

struct Candidate {
  std::string text;
  std::string meaning = {};
};
using Candidates = std::vector<Candidate>;

Candidates plain(const Texts& texts) {
  Candidates all;
  for (const std::string& text : texts)
    all.push_back({text});
  return all;
}

// What stands before the word: the command, its databases and its other positionals.
struct Before {
  std::optional<Command> command;
  Texts positionals;
  const Flag* open = nullptr;  // the flag whose value the word is
  std::optional<std::string> root;
};

const Flag* flag_named(const Command* command, std::string_view word) {
  const auto is_it = [&](const Flag& flag) {
    return word == "--" + flag.name || (flag.letter != 0 && word == std::string("-") + flag.letter);
  };
  for (const Flag& flag : global_flags())
    if (is_it(flag)) return &flag;
  if (command == nullptr) return nullptr;
  const auto found = std::ranges::find_if(command->flags, is_it);
  return found == command->flags.end() ? nullptr : &*found;
}

Before read(const Commands& commands, const Texts& words) {
  Before before;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with("--root=")) before.root = word.substr(7);
    if (!word.starts_with('-')) {
      if (before.command)
        before.positionals.push_back(word);
      else
        before.command = commands.find(word);
      continue;
    }
    const Flag* flag = flag_named(before.command ? &*before.command : nullptr, word);
    if (flag == nullptr || flag->value.empty()) continue;
    if (i + 2 == words.size()) before.open = flag;
    if (flag->name == "root" && i + 2 < words.size()) before.root = words[i + 1];
    ++i;
  }
  return before;
}

class Completer {
 public:
  Completer(const Commands& commands, const Texts& words)
      : commands_(commands),
        word_(words.empty() ? "" : words.back()),
        before_(read(commands, words)) {}

  Candidates all() {
    if (before_.open != nullptr) return of_value(*before_.open, word_);
    const std::size_t equals = word_.find('=');
    if (word_.starts_with("--") && equals != std::string::npos) {
      const std::string name = word_.substr(0, equals);
      const Flag* flag = flag_named(before_.command ? &*before_.command : nullptr, name);
      if (flag == nullptr || flag->value.empty()) return {};
      Candidates values = of_value(*flag, word_.substr(equals + 1));
      for (Candidate& one : values)
        one.text.insert(0, name + "=");
      return values;
    }
    if (word_.starts_with('-')) return flags();
    return before_.command ? of_positional() : commands_and_aliases();
  }

 private:
  Candidates commands_and_aliases() const {
    Candidates all;
    for (const Command& command : commands_.all()) {
      all.push_back({command.name, command.summary});
      for (const std::string& alias : aliases_of(command.name))
        all.push_back({alias, command.summary});
    }
    return all;
  }

  Candidates flags() const {
    Candidates all;
    if (before_.command)
      for (const Flag& flag : before_.command->flags)
        all.push_back({"--" + flag.name, flag.description});
    for (const Flag& flag : global_flags())
      all.push_back({"--" + flag.name, flag.description});
    return all;
  }

  Workspace* workspace() {
    if (!opened_) {
      opened_ = true;
      SettingFlags flags;
      flags.root = before_.root;
      const CommandEnvironment& around = own_environment();
      const auto settings = read_settings(flags, around.environment, around.folder);
      if (!settings) return nullptr;
      auto opened = Workspace::open(*settings);
      if (opened) workspace_ = *std::move(opened);
    }
    return workspace_.get();
  }

  Database* database(const std::string& id) {
    if (workspace() == nullptr || id.empty()) return nullptr;
    const auto found = workspace()->get(id);
    return found ? *found : nullptr;
  }

  // Of the database that the command line names.
  const Schema* schema() {
    if (schema_ || before_.positionals.empty()) return schema_ ? &*schema_ : nullptr;
    Database* found = database(before_.positionals.front());
    if (found == nullptr) return nullptr;
    const auto folder = found->folder();
    if (!folder) return nullptr;
    schema_ = (*folder)->schema();
    return &*schema_;
  }

  Texts database_ids() {
    if (workspace() == nullptr) return {};
    const auto ids = workspace()->database_ids();
    return ids ? ids->ids : Texts{};
  }

  Texts row_ids(const std::string& id) {
    Database* found = database(id);
    if (found == nullptr) return {};
    const auto ids = found->row_ids();
    return ids ? *ids : Texts{};
  }

  Candidates columns(const std::string& before, const std::string& behind) {
    Candidates all;
    if (schema() == nullptr) return all;
    for (const Column& column : schema()->columns)
      all.push_back({before + column.id + behind, column.name});
    return all;
  }

  // Of a database also those of the .base files in its folder; of a .base file its own, by name.
  Candidates views() {
    Candidates all;
    if (workspace() == nullptr || before_.positionals.empty()) return all;
    const std::string& named = before_.positionals.front();
    if (named.ends_with(".base")) {
      for (const bases::BaseFileView& view : bases::views_of_base_files(*workspace(), "."))
        if (view.id == named + "#" + view.name) all.push_back({view.name, view.type});
      return all;
    }
    if (schema() == nullptr) return all;
    for (const View& view : schema()->views)
      all.push_back({view.id, view.name});
    for (const bases::BaseFileView& view : bases::views_of_base_files(*workspace(), named))
      all.push_back({view.id, view.name});
    return all;
  }

  // "status=" continues with the options of the column, the rows that a relation may name.
  Candidates of_assignment(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return columns("", "=");
    const Column* column = schema() == nullptr ? nullptr : schema()->find(word.substr(0, equals));
    if (column == nullptr) return {};
    // Of a list the last item is completed.
    const std::size_t comma = column->holds_list() ? word.rfind(',') : std::string::npos;
    const std::string before =
        word.substr(0, comma == std::string::npos || comma < equals ? equals + 1 : comma + 1);
    Texts values = column->options;
    if (column->type == ColumnType::relation) values = row_ids(column->target);
    if (column->type == ColumnType::checkbox) values = {"true", "false"};
    for (std::string& value : values)
      value.insert(0, before);
    return plain(values);
  }

  // "status = " in one word continues with options too.
  Candidates of_where(const std::string& word) {
    const std::size_t begin = word.find_first_not_of("'\"");
    const std::string text = begin == std::string::npos ? "" : word.substr(begin);
    const std::size_t space = text.find(' ');
    if (space == std::string::npos) return columns("", " ");
    const Column* column = schema() == nullptr ? nullptr : schema()->find(text.substr(0, space));
    const std::size_t last = text.rfind(' ');
    if (column == nullptr || last == space) return {};
    Texts values = column->options;
    for (std::string& value : values)
      value.insert(0, text.substr(0, last + 1));
    return plain(values);
  }

  Candidates of_value(const Flag& flag, const std::string& word) {
    if (!flag.choices.empty()) return plain(flag.choices);
    const std::size_t comma = word.rfind(',');
    const std::string listed = comma == std::string::npos ? "" : word.substr(0, comma + 1);
    if (flag.name == "where") return of_where(word);
    if (flag.name == "set") return of_assignment(word);
    if (flag.name == "select" || flag.name == "group-by") return columns(listed, "");
    if (flag.name == "sort" || flag.name == "unset" || flag.name == "field") return columns("", "");
    if (flag.name == "view") return views();
    if (flag.name == "with") return plain(database_ids());
    if (flag.name == "tools" || flag.name == "exclude-tools") return tools(listed);
    if (flag.name == "template" && schema() != nullptr) {
      Texts keys;
      for (const Template& one : schema()->templates)
        keys.push_back(one.key);
      return plain(keys);
    }
    return {};
  }

  static Candidates tools(const std::string& before) {
    Candidates all;
    for (const Operation* operation : catalog())
      all.push_back({before + operation->name, operation->title});
    return all;
  }

  Candidates of_positional() {
    const auto& positionals = before_.command->positionals;
    const std::size_t place = before_.positionals.size();
    if (place >= positionals.size()) return {};
    const Positional& one = positionals[place];
    if (!one.choices.empty()) return plain(one.choices);
    if (one.name == "DB") return plain(database_ids());
    if (one.name == "ROW" && place > 0) return plain(row_ids(before_.positionals.front()));
    if (one.name == "VIEW") return views();
    if (one.name == "TOOL" || (one.name == "NAME" && before_.command->name == "tools"))
      return tools("");
    if (one.name == "COMMAND") return commands_and_aliases();
    return {};
  }

  const Commands& commands_;
  std::string word_;
  Before before_;
  bool opened_ = false;
  std::shared_ptr<Workspace> workspace_;
  std::optional<Schema> schema_;
};

// A line that a shell reads as one.
bool is_one_line(const std::string& text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

std::string candidate_lines(const Commands& commands, const std::vector<std::string>& words) {
  constexpr std::size_t most = 1000;
  Completer completer(commands, words);
  std::string word = words.empty() ? "" : words.back();
  word.erase(0, std::min(word.find_first_not_of("'\""), word.size()));
  std::string lines;
  std::size_t count = 0;
  for (const Candidate& one : completer.all()) {
    if (!one.text.starts_with(word) || !is_one_line(one.text)) continue;
    if (++count > most) break;
    lines += one.text;
    if (!one.meaning.empty() && is_one_line(one.meaning)) lines += "\t" + one.meaning;
    lines += '\n';
  }
  return lines;
}

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
