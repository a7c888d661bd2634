#include "cli/commands.h"
#include "cli/output.h"
#include "git/row_merge.h"

namespace notesdb::cli {

namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

Exit run_merge(const Session& session) {
  MergeFiles files{session.words.last("BASE").value_or(""),
                   session.words.last("OURS").value_or(""),
                   session.words.last("THEIRS").value_or(""),
                   session.words.last("path").value_or("")};
  if (files.path.empty()) files.path = files.ours;
  Result<MergeOutcome> outcome = merge_files(files);
  if (!outcome) return report(session, outcome.error(), Exit::failed);
  if (!outcome->by_lines.empty())
    session.console.err(files.path + ": merged by lines, since " + outcome->by_lines);
  if (!outcome->fields.empty())
    session.console.err(files.path + ": in conflict: " + joined(outcome->fields));
  return outcome->clean ? Exit::done : Exit::failed;
}

}  // namespace

Command merge_file_command() {
  return {.name = "merge-file",
          .summary = "Merge three versions of a row by field, as git asks for it",
          .positionals = {{.name = "BASE"}, {.name = "OURS"}, {.name = "THEIRS"}},
          .flags = {{"path", "PATH", "the file's name in the repository"}},
          .notes = {"The outcome replaces OURS. Ends with 1 where something is left between "
                    "conflict markers. `notesdb git setup` has git call it."},
          .run = run_merge};
}

}  // namespace notesdb::cli
