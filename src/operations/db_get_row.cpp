#include "database/backlinks.h"
#include "operations/answer.h"
#include "operations/operation.h"
#include "operations/row_list.h"

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
  const auto max_bytes = call.context.max_bytes();
  List backlinks;
  for (const Backlink& link : *links)
    backlinks.push_back(to_value(link));
  const std::size_t all = backlinks.size();
  if (max_bytes) backlinks.resize(count_within(backlinks, *max_bytes / 4));
  Value whole = to_whole_value(*std::move(row));
  const auto offset = static_cast<std::size_t>(call.arguments.integer("body_offset").value_or(0));
  const std::string part = take_body_part(whole, offset, max_bytes);
  const std::size_t shown = backlinks.size();
  whole.set("backlinks", std::move(backlinks));
  Value answer = Map{};
  if (!part.empty() || shown < all) answer.set("truncated", true);
  add_notice(answer, part);
  if (shown < all) {
    add_notice(answer,
               "backlinks has the first " + std::to_string(shown) + " of " + std::to_string(all) +
                   "; db_query with a filter on the relation column finds the others");
  }
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
          "etag. A long body comes in parts: body_offset asks for the next.",
      .effect = Effect::reads,
      .meta = {{"anthropic/maxResultSizeChars", 300'000}},
      .arguments = {database_argument(),
                    row_argument(),
                    {.name = "body_offset", .kind = ArgumentKind::integer, .offered = Doors::tools},
                    as_of_argument()},
      .result = {{"row", ResultKind::map}},
      .shown = "row",
      .run = get_row};
  return operation;
}

}  // namespace notesdb
