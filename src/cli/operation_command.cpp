#include "cli/operation_command.h"

#include <algorithm>

#include "cli/flag_syntax.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/waiting.h"
#include "index/database_folder.h"
#include "operations/catalog.h"
#include "operations/dispatch.h"

namespace notesdb::cli {

namespace {

// Whether answers come in pages: then a person may ask for the number alone.
const Argument* page_argument(const Operation& operation) {
  for (const Argument& argument : operation.arguments) {
    bool is_page = argument.kind == ArgumentKind::integer && argument.fallback_at == Doors::tools;
    if (is_page) return &argument;
  }
  return nullptr;
}

// Whether the texts of the command line mean different things for different columns.
bool needs_schema(const Operation& operation, const Words& words) {
  return operation.find_argument(ArgumentKind::fields) != nullptr && words.has("set");
}

Result<Schema> schema_of(Workspace& workspace, const Operation& operation, const Words& words) {
  const Argument* argument = operation.find_argument(ArgumentKind::database);
  std::string id = words.last(argument->value_name()).value_or("");
  Result<Database*> database = workspace.get(id);
  if (!database) return database.error();
  // Only the schema file: what else Database::schema() says is learnt from every row.
  auto folder = (*database)->folder();
  if (!folder) return folder.error();
  return (*folder)->schema();
}

// Whether it is among the tools. The others may start a git that asks a person for a password.
bool is_tool(const Operation& operation) {
  return find_operation(operation.name) == &operation;
}

class OperationRun {
 public:
  OperationRun(const Operation& operation, const Session& session)
      : operation_(operation), session_(session) {}

  Result<Value> run() { return ask(dispatch); }
  Result<WrittenAnswer> run_as_json() { return ask(dispatch_as_json); }
  Result<WrittenAnswer> run_as_lines() { return ask(dispatch_as_lines); }

 private:
  template <typename Answer>
  Result<Answer> ask(Result<Answer> (*way)(const Operation&, const Value&, const Context&)) {
    Result<std::shared_ptr<Workspace>> workspace = session_.workspace();
    if (!workspace) return workspace.error();
    Result<Value> arguments = read_arguments(**workspace);
    if (!arguments) return arguments.error();
    std::optional<InterruptNotice> interrupt;
    // A server that works for somebody else's command has signals of its own.
    if (&session_.around == &own_environment())
      interrupt.emplace(writes(operation_.effect) ? whole_or_not : nothing_changed);
    std::optional<Waiting> waiting;
    if (is_tool(operation_)) waiting.emplace(session_, operation_.command);
    return way(operation_,
               *arguments,
               {.workspace = **workspace, .door = Door::commands, .caps = Caps::none});
  }

  Result<Value> read_arguments(Workspace& workspace) {
    Schema schema;
    if (needs_schema(operation_, session_.words)) {
      Result<Schema> found = schema_of(workspace, operation_, session_.words);
      if (!found) return found.error();
      schema = *std::move(found);
    }
    Result<Value> arguments = arguments_of(operation_, session_.words, &schema);
    if (!arguments) return arguments;
    if (session_.words.has("count")) arguments->set(page_argument(operation_)->name, 0);
    return arguments;
  }

  const Operation& operation_;
  const Session& session_;
};

Exit run_operation(const Operation& operation, const Session& session) {
  Result<OutputFormat> format = format_of(session.words);
  if (!format) return report(session, format.error(), Exit::wrong_usage);
  OperationRun call(operation, session);
  // A program gets the text as it is made; a person's is laid out from the value.
  const bool is_for_program = !session.console.is_terminal();
  const bool as_lines = *format == OutputFormat::jsonl && operation.run_as_lines != nullptr;
  if (is_for_program && operation.is_bad_news == nullptr &&
      (as_lines || *format == OutputFormat::json)) {
    Result<WrittenAnswer> answer = as_lines ? call.run_as_lines() : call.run_as_json();
    if (!answer) return report(session, answer.error(), Exit::failed);
    show_written(session.console, *format, operation, *std::move(answer));
    return Exit::done;
  }
  Result<Value> result = call.run();
  if (!result) return report(session, result.error(), Exit::failed);
  if (session.words.has("count") && *format == OutputFormat::table) {
    show_count(session.console, operation, *result);
    return Exit::done;
  }
  Result<void> shown = show(session.console, *format, operation, *result);
  if (!shown) return report(session, shown.error(), Exit::wrong_usage);
  const bool is_bad = operation.is_bad_news != nullptr && operation.is_bad_news(*result);
  return is_bad ? Exit::failed : Exit::done;
}

}  // namespace

Command command_of(const Operation& operation) {
  Command command{.name = operation.command, .summary = operation.title};
  command.notes.push_back(operation.description);
  for (const Argument& argument : operation.arguments) {
    if (!holds_for(argument.offered, Door::commands)) continue;
    if (argument.positional) {
      bool required = holds_for(argument.required, Door::commands);
      command.positionals.push_back({argument.value_name(), argument.flag_description(), required});
      continue;
    }
    std::ranges::move(flags_of(argument, operation.effect), std::back_inserter(command.flags));
  }
  if (page_argument(operation) != nullptr)
    command.flags.push_back({"count", "", "print only how many rows match"});
  command.run = [&operation](const Session& session) { return run_operation(operation, session); };
  return command;
}

Result<Value> arguments_of(const Operation& operation, const Words& words, const Schema* schema) {
  Value arguments = Map{};
  std::vector<Error> errors;
  for (const Argument& argument : operation.arguments) {
    if (!holds_for(argument.offered, Door::commands)) continue;
    Result<std::optional<Value>> value = spelled_value(argument, words, schema);
    if (!value)
      errors.push_back(value.error());
    else if (*value)
      arguments.set(argument.name, **std::move(value));
  }
  if (!errors.empty()) return join(errors);
  return arguments;
}

}  // namespace notesdb::cli
