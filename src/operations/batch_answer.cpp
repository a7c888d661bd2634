#include "operations/batch_answer.h"

#include "operations/answer.h"
#include "operations/row_list.h"

namespace notesdb {

namespace {

std::string_view word_of(RowAction action) {
  switch (action) {
    case RowAction::insert: return "insert";
    case RowAction::update: return "update";
    case RowAction::remove: break;
  }
  return "delete";
}

Value to_value(const BatchAnswer::Outcome& outcome) {
  Value value = Map{{"action", word_of(outcome.action)},
                    {"database_id", outcome.database_id},
                    {"id", outcome.row_id}};
  if (outcome.etag) value.set("etag", to_text(*outcome.etag));
  value.set("changed", outcome.changed);
  return value;
}

}  // namespace

Result<Value> batch_answer(const Call& call, const std::vector<BatchOperation>& operations) {
  auto answer = run_batch(call.context.workspace,
                          operations,
                          call.arguments.integer("expect_count"),
                          call.write_mode());
  if (!answer) return answer.error();
  const auto max_bytes = call.context.max_bytes();
  List results;
  std::int64_t deleted = 0;
  for (const BatchAnswer::Outcome& outcome : answer->outcomes) {
    results.push_back(to_value(outcome));
    if (outcome.action == RowAction::remove && outcome.changed) ++deleted;
  }
  const std::size_t all = results.size();
  results.resize(count_within(results, max_bytes));
  cut_diff(*answer, max_bytes);
  Value value = Map{{"applied", answer->applied}};
  if (call.context.rehearses) value.set("deleted", deleted);
  if (results.size() < all) {
    value.set("truncated", true);
    add_notice(value,
               "results has the first " + std::to_string(results.size()) + " of " +
                   std::to_string(all) + " rows; db_query gives the etags of the others");
  }
  value.set("results", std::move(results));
  return with_receipt(std::move(value), *answer);
}

Argument row_or_filters_argument() {
  Argument row = row_argument();
  row.required = Doors::tools;
  row.flag_help = "a row; or --where for all rows that match";
  return row;
}

Argument bulk_filters_argument() {
  Argument filters = filters_argument();
  filters.offered = Doors::commands;
  return filters;
}

Argument bulk_count_argument() {
  return {.name = "expect_count",
          .kind = ArgumentKind::integer,
          .description = "with --where: fail unless exactly N rows would change",
          .offered = Doors::commands};
}

Result<std::optional<Value>> bulk_filters(const Call& call) {
  const Value* filters = call.arguments.find("filters");
  const bool names_row = !call.arguments.text("row_id").empty();
  const auto wrong = [](std::string message) {
    return Error{ErrorCode::invalid_argument, std::move(message), Map{}};
  };
  if (filters != nullptr && names_row)
    return wrong("a row and filters are two ways to say which rows; give one of them");
  if (filters == nullptr && !names_row)
    return wrong("missing argument ROW; or --where, for every row that matches");
  if (filters == nullptr && call.arguments.integer("expect_count"))
    return wrong("--expect-count is for --where, which may match many rows");
  return filters == nullptr ? std::optional<Value>() : std::optional<Value>(*filters);
}

}  // namespace notesdb
