#include <limits>

#include "core/text.h"
#include "serving/prompts.h"

namespace notesdb {

namespace {

using Texts = std::vector<std::string>;

Texts database_ids(Workspace& workspace) {
  Result<DatabaseIds> ids = workspace.database_ids();
  return ids ? ids->ids : Texts{};
}

std::string chosen(const mcp::CompletionRequest& request, const char* name) {
  auto found = request.arguments.find(name);
  bool is_text = found != request.arguments.end() && found->is_string();
  return is_text ? found->get<std::string>() : std::string();
}

std::optional<Schema> schema_of(Workspace& workspace, const std::string& database_id) {
  Result<Database*> database = workspace.get(database_id);
  if (!database) return std::nullopt;
  Result<SchemaAnswer> answer = (*database)->schema();
  if (!answer) return std::nullopt;
  return answer->schema;
}

Texts row_ids(Workspace& workspace, const std::string& database_id) {
  Result<Database*> database = workspace.get(database_id);
  if (!database) return {};
  Result<Texts> ids = (*database)->row_ids();
  return ids ? *ids : Texts{};
}

Texts choices(Workspace& workspace, const mcp::CompletionRequest& request) {
  if (request.argument == "database_id") return database_ids(workspace);
  std::string database_id = chosen(request, "database_id");
  if (request.argument == "row_id") return row_ids(workspace, database_id);
  std::optional<Schema> schema = schema_of(workspace, database_id);
  if (!schema) return {};
  if (request.argument == "column") return schema->column_ids();
  if (request.argument != "value") return {};
  const Column* column = schema->find(chosen(request, "column"));
  return column != nullptr ? column->options : Texts{};
}

// What begins with what was typed first, then what holds it elsewhere.
Texts matching(const Texts& all, const std::string& typed) {
  std::string wanted = fold_case(typed);
  Texts first;
  Texts later;
  for (const std::string& choice : all) {
    std::size_t at = fold_case(choice).find(wanted);
    if (at == 0) first.push_back(choice);
    if (at != 0 && at != std::string::npos) later.push_back(choice);
  }
  first.insert(first.end(), later.begin(), later.end());
  return first;
}

}  // namespace

void add_completion(mcp::Server& server, Workspace& workspace) {
  server.set([&workspace](const mcp::CompletionRequest& request) {
    return matching(choices(workspace, request), request.typed);
  });
}

}  // namespace notesdb
