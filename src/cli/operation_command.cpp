#include "cli/operation_command.h"

#include <algorithm>

#include "cli/output.h"
#include "cli/spelling.h"
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

// Where tools page, commands give everything; but a result as the tool gives it is the tool's.
void add_fallbacks_of_tools(const Operation& operation, Value& arguments) {
  for (const Argument& argument : operation.arguments) {
    bool differs = argument.fallback_at == Doors::tools && !argument.fallback.is_null();
    if (differs && arguments.find(argument.name) == nullptr)
      arguments.set(argument.name, argument.fallback);
  }
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
  OperationRun(const Operation& operation, const Session& session, OutputFormat format)
      : operation_(operation), session_(session), format_(format) {}

  Result<Value> run() { return ask(dispatch); }
  Result<std::string> run_as_json() { return ask(dispatch_as_json); }
  Result<LinedAnswer> run_as_lines() { return ask(dispatch_as_lines); }

 private:
  template <typename Answer>
  Result<Answer> ask(Result<Answer> (*way)(const Operation&, const Value&, const Context&)) {
    Result<std::shared_ptr<Workspace>> workspace = session_.workspace();
    if (!workspace) return workspace.error();
    Result<Value> arguments = read_arguments(**workspace);
    if (!arguments) return arguments.error();
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
    if (format_ == OutputFormat::json) add_fallbacks_of_tools(operation_, *arguments);
    return arguments;
  }

  const Operation& operation_;
  const Session& session_;
  OutputFormat format_;
};

Exit run_operation(const Operation& operation, const Session& session) {
  Result<OutputFormat> format = format_of(session.words);
  if (!format) return report(session, format.error(), Exit::wrong_usage);
  OperationRun call(operation, session, *format);
  // A program gets the text as it is made; a person's is laid out from the value.
  const bool is_for_program = !session.console.is_terminal();
  if (*format == OutputFormat::json && is_for_program) {
    Result<std::string> text = call.run_as_json();
    if (!text) return report(session, text.error(), Exit::failed);
    session.console.out(*std::move(text) + "\n");
    return Exit::done;
  }
  if (*format == OutputFormat::jsonl && is_for_program && operation.run_as_lines != nullptr) {
    Result<LinedAnswer> answer = call.run_as_lines();
    if (!answer) return report(session, answer.error(), Exit::failed);
    show_lines(session.console, operation, *answer);
    return Exit::done;
  }
  Result<Value> result = call.run();
  if (!result) return report(session, result.error(), Exit::failed);
  if (session.words.has("count") && *format == OutputFormat::table) {
    session.console.out(std::to_string(result->find("total")->integer()) + "\n");
    return Exit::done;
  }
  Result<void> shown = show(session.console, *format, operation, *result);
  if (!shown) return report(session, shown.error(), Exit::wrong_usage);
  return Exit::done;
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
