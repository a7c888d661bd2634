#include "database/backlinks.h"
#include "operations/answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Value to_value(const Backlink& link) {
  if (link.database_id.empty()) return Map{{"path", link.path}, {"field", link.field}};
  return Map{{"database_id", link.database_id}, {"row_id", link.row_id}, {"field", link.field}};
}

Result<Value> get_row(const Call& call) {
  std::string id = call.arguments.text("row_id");
  Result<Row> row = call.database->get(id);
  if (!row) return row.error();
  auto links = find_backlinks(call.context.workspace, call.database->id(), id);
  if (!links) return links.error();
  List backlinks;
  for (const Backlink& link : *links)
    backlinks.push_back(to_value(link));
  Value whole = to_whole_value(*std::move(row));
  whole.set("backlinks", std::move(backlinks));
  Value answer = Map{};
  answer.set("row", std::move(whole));
  return answer;
}

}  // namespace

const Operation& db_get_row() {
  static const Operation operation{
      .name = "db_get_row",
      .command = "get",
      .title = "Get a row",
      .description =
          "Returns one complete row: fields, body, undeclared keys (extra), issues, backlinks and "
          "etag.",
      .effect = Effect::reads,
      .arguments = {database_argument(), row_argument(), as_of_argument()},
      .result = {{"row", ResultKind::map}},
      .shown = "row",
      .run = get_row};
  return operation;
}

}  // namespace notesdb
