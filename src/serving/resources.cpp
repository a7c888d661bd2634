#include "serving/resources.h"

#include <memory>

#include "json/json_value.h"
#include "operations/catalog.h"
#include "operations/dispatch.h"
#include "serving/app_pages.h"
#include "serving/change_watch.h"

namespace notesdb {

namespace {

constexpr std::string_view database_prefix = "notesdb://database/";
constexpr std::string_view row_prefix = "notesdb://row/";
constexpr std::int64_t sample_size = 5;

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string result;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(c)) {
      result += c;
    } else {
      result += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return result;
}

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return std::nullopt;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    auto high = hex_digit(text[i + 1]);
    auto low = hex_digit(text[i + 2]);
    if (!high || !low) return std::nullopt;
    result += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return result;
}

Result<Value> ask(Workspace& workspace, std::string_view tool, Value arguments) {
  const Operation* operation = find_operation(tool);
  if (operation == nullptr) return Error{ErrorCode::internal, "there is no such operation"};
  return dispatch(*operation, arguments, Context{.workspace = workspace});
}

// "table", of ui://notesdb/table.
std::string name_of(const AppPage& page) {
  return std::string(page.uri.substr(page.uri.rfind('/') + 1));
}

void add_apps(std::vector<mcp::Resource>& resources) {
  for (const AppPage& page : app_pages()) {
    mcp::Resource resource;
    resource.uri = page.uri;
    resource.name = name_of(page);
    resource.title = "Rows as a " + name_of(page);
    resource.description = "Shows the rows of db_query as a " + name_of(page) + " to turn and edit";
    resource.mime_type = mcp::app_mime_type;
    resources.push_back(std::move(resource));
  }
}

std::optional<std::vector<mcp::ResourceContents>> read_app(std::string_view uri) {
  for (const AppPage& page : app_pages()) {
    if (page.uri != uri) continue;
    mcp::ResourceContents contents{
        std::string(uri), std::string(mcp::app_mime_type), std::string(page.html)};
    // It fetches nothing, so that the host need allow nothing.
    contents.meta = {{"ui", {{"prefersBorder", true}}}};
    return std::vector<mcp::ResourceContents>{std::move(contents)};
  }
  return std::nullopt;
}

std::vector<mcp::Resource> list_databases(Workspace& workspace) {
  std::vector<mcp::Resource> resources;
  Result<Value> answer = ask(workspace, "db_list", Map{});
  const Value* databases = answer ? answer->find("databases") : nullptr;
  if (databases == nullptr) return resources;
  for (const Value& database : databases->list()) {
    const std::string& id = database.find("id")->text();
    const Value* name = database.find("name");
    const Value* description = database.find("description");
    mcp::Resource resource;
    resource.uri = database_uri(id);
    resource.name = id;
    resource.title = name != nullptr ? name->text() : id;
    resource.description = description != nullptr ? description->text()
                                                  : "Schema and first rows of the database " + id;
    resource.mime_type = "application/json";
    resources.push_back(std::move(resource));
  }
  return resources;
}

std::optional<Value> read_database(Workspace& workspace, const std::string& id) {
  Result<Value> schema = ask(workspace, "db_get_schema", Map{{"database_id", id}});
  Result<Value> rows = ask(workspace, "db_query", Map{{"database_id", id}, {"limit", sample_size}});
  if (!schema || !rows) return std::nullopt;
  return Map{{"schema", *schema}, {"sample", *rows}};
}

std::optional<Value> read_row(Workspace& workspace, const ResourceName& name) {
  Result<Value> row =
      ask(workspace, "db_get_row", Map{{"database_id", name.database_id}, {"row_id", name.row_id}});
  if (!row) return std::nullopt;
  return std::move(*row);
}

std::optional<std::vector<mcp::ResourceContents>> read(Workspace& workspace,
                                                       const std::string& uri) {
  if (auto app = read_app(uri)) return app;
  std::optional<ResourceName> name = parse_resource_uri(uri);
  if (!name) return std::nullopt;
  std::optional<Value> content = name->row_id.empty() ? read_database(workspace, name->database_id)
                                                      : read_row(workspace, *name);
  if (!content) return std::nullopt;
  return std::vector<mcp::ResourceContents>{{uri, "application/json", to_json(*content), false}};
}

}  // namespace

std::string database_uri(std::string_view database_id) {
  return std::string(database_prefix) + percent_encoded(database_id);
}

std::string row_uri(std::string_view database_id, std::string_view row_id) {
  return std::string(row_prefix) + percent_encoded(database_id) + "/" + percent_encoded(row_id);
}

std::optional<ResourceName> parse_resource_uri(std::string_view uri) {
  bool is_row = uri.starts_with(row_prefix);
  if (!is_row && !uri.starts_with(database_prefix)) return std::nullopt;
  std::string_view rest = uri.substr(is_row ? row_prefix.size() : database_prefix.size());
  std::size_t slash = rest.find('/');
  if ((slash != std::string_view::npos) != is_row) return std::nullopt;
  auto database_id = percent_decoded(rest.substr(0, slash));
  auto row_id = is_row ? percent_decoded(rest.substr(slash + 1)) : std::string();
  if (!database_id || !row_id || database_id->empty() || row_id->empty() == is_row) {
    return std::nullopt;
  }
  return ResourceName{*database_id, *row_id};
}

void add_resources(mcp::Server& server, Workspace& workspace) {
  mcp::Resources resources;
  resources.list = [&workspace] {
    std::vector<mcp::Resource> list = list_databases(workspace);
    add_apps(list);
    return list;
  };
  resources.templates = {{"notesdb://row/{database_id}/{row_id}",
                          "row",
                          "A row",
                          "One row of a database with its fields, its body and its etag",
                          "application/json"},
                         {"notesdb://database/{database_id}",
                          "database",
                          "A database",
                          "The schema of a database and its first rows",
                          "application/json"}};
  resources.read = [&workspace](const std::string& uri, mcp::Call&) {
    return read(workspace, uri);
  };
  auto watch = std::make_shared<ChangeWatch>(server, workspace);
  resources.watch = [watch](bool wanted) { watch->want(wanted); };
  server.set(std::move(resources));
}

}  // namespace notesdb
