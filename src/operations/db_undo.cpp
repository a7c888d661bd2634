#include <algorithm>
#include <cctype>

#include "database/past.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

// "3" is the three newest changes; a change's id is longer than any such number.
std::optional<std::int64_t> count_in(const std::string& word) {
  constexpr std::size_t longest = 6;
  if (word.empty()) return 1;
  const bool is_number = word.size() <= longest && std::ranges::all_of(word, [](unsigned char c) {
                           return std::isdigit(c) != 0;
                         });
  if (!is_number) return std::nullopt;
  return std::stoll(word);
}

Value to_value(const std::vector<Workspace::Undone>& undone) {
  std::vector<std::string> paths;
  for (const Workspace::Undone& change : undone)
    paths.insert(paths.end(), change.paths.begin(), change.paths.end());
  Value value = Map{{"paths", Value::list_of(paths)}};
  if (!undone.empty()) value.set("change", undone.back().change);
  return value;
}

// An agent takes back what it names and no other's work.
Result<Value> undo(const Call& call) {
  const std::string word = call.arguments.text("change");
  const auto count =
      call.context.door == Door::commands ? count_in(word) : std::optional<std::int64_t>();
  if (count) {
    auto undone = undo_newest(call.context.workspace, *count);
    if (!undone) return undone.error();
    return to_value(*undone);
  }
  Result<Workspace::Undone> undone = call.context.workspace.undo(word);
  if (!undone) return undone.error();
  return to_value({*std::move(undone)});
}

}  // namespace

const Operation& db_undo() {
  static const Operation operation{
      .name = "db_undo",
      .command = "undo",
      .title = "Undo a change",
      .description =
          "Takes a change back exactly, by the change that its answer named. Refused if a file has "
          "changed since.",
      .effect = Effect::updates,
      .arguments = {{.name = "change",
                     .required = Doors::tools,
                     .positional = true,
                     .flag_help = "a change, or how many of the newest; 1 if absent",
                     .if_missing = "every write answers with its change"}},
      .result = {{"paths", ResultKind::texts}, {"change", ResultKind::text, Presence::sometimes}},
      .shown = "paths",
      .run = undo};
  return operation;
}

}  // namespace notesdb
