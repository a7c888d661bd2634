#include "operations/answer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "schema/document.h"

namespace notesdb {

namespace {

// The whole rule, also where the schema leaves it to the defaults.
Value row_id_value(const RowIdRule& rule) {
  Value value = Map{{"style", name_of(rule.style)}};
  if (rule.style == RowIdStyle::counter) {
    value.set("prefix", rule.prefix);
    value.set("digits", rule.digits);
  }
  if (!rule.from.empty()) value.set("from", rule.from);
  return value;
}

}  // namespace

Value to_value(const Issue& issue) {
  Value value = Map{{"path", issue.path}};
  if (issue.line > 0) value.set("line", std::int64_t{issue.line});
  if (issue.column > 0) value.set("column", std::int64_t{issue.column});
  value.set("severity", name_of(issue.severity));
  value.set("rule", issue.rule);
  value.set("message", issue.message);
  if (!issue.field.empty()) value.set("field", issue.field);
  return value;
}

Value to_value(const std::vector<Issue>& issues) {
  List list;
  list.reserve(issues.size());
  for (const Issue& issue : issues)
    list.push_back(to_value(issue));
  return list;
}

Value to_value(Row&& row, BodyIn body) {
  Map map;
  map.reserve(5);
  map.push_back({"id", std::move(row.id)});
  map.push_back({"etag", to_text(row.etag)});
  map.push_back({"fields", std::move(row.fields)});
  if (body == BodyIn::included) map.push_back({"body", std::move(row.body)});
  if (!row.modified.empty()) map.push_back({"modified", std::move(row.modified)});
  return map;
}

Value to_whole_value(Row row) {
  Map extra = std::move(row.extra);
  const std::vector<Issue> issues = std::move(row.issues);
  Value value = to_value(std::move(row), BodyIn::included);
  value.set("extra", std::move(extra));
  if (!issues.empty()) value.set("issues", to_value(issues));
  return value;
}

Value with_receipt(Value answer, const Receipt& receipt) {
  if (!receipt.change.empty()) answer.set("change", receipt.change);
  if (!receipt.diff.empty()) answer.set("diff", receipt.diff);
  if (!receipt.warnings.empty()) answer.set("warnings", Value::list_of(receipt.warnings));
  if (!receipt.durable) answer.set("durable", false);
  return answer;
}

std::size_t whole_characters(std::string_view text, std::size_t bytes) {
  std::size_t end = std::min(bytes, text.size());
  const auto continues = [&] {
    return end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U;
  };
  while (end > 0 && continues())
    --end;
  return end;
}

std::string take_body_part(Value& row, std::size_t offset, std::optional<std::size_t> max_bytes) {
  const Value* found = row.find("body");
  if (found == nullptr || !found->is_text() || !max_bytes) return "";
  const std::string body = found->text();
  const std::size_t begin = whole_characters(body, offset);
  const std::size_t most = *max_bytes / 2;  // line ends and quotes take two bytes each
  if (begin == 0 && body.size() <= most) return "";
  const std::size_t end = begin + whole_characters(std::string_view(body).substr(begin), most);
  row.set("body", body.substr(begin, end - begin));
  row.set("body_offset", static_cast<std::int64_t>(begin));
  row.set("body_total", static_cast<std::int64_t>(body.size()));
  std::string notice = "of the " + std::to_string(body.size()) + " bytes of the body those from " +
                       std::to_string(begin) + " to " + std::to_string(end) + " are here";
  if (end < body.size())
    notice += "; db_get_row with body_offset " + std::to_string(end) + " gives the next";
  return notice;
}

void add_notice(Value& answer, const std::string& sentence) {
  if (sentence.empty()) return;
  const Value* said = answer.find("notice");
  answer.set("notice", said == nullptr ? sentence : said->text() + "; " + sentence);
}

void cut_diff(Receipt& receipt, std::optional<std::size_t> max_bytes) {
  if (!max_bytes || receipt.diff.size() <= *max_bytes / 2) return;
  const std::size_t most = whole_characters(receipt.diff, *max_bytes / 2);
  const std::size_t end = receipt.diff.rfind("\n--- ", most);
  receipt.diff.resize(end == std::string::npos ? most : end + 1);
  receipt.warnings.emplace_back("the diff shows the first files only");
}

Value write_result(WriteAnswer answer, std::optional<std::size_t> max_bytes) {
  Value value = Map{};
  Value row = to_whole_value(std::move(answer.row));
  const std::string notice = take_body_part(row, 0, max_bytes);
  cut_diff(answer, max_bytes);
  value.set("row", std::move(row));
  value.set("changed", answer.changed);
  add_notice(value, notice);
  if (answer.references > 0) value.set("references", answer.references);
  return with_receipt(std::move(value), answer);
}

Value renamed(Value answer, std::string_view from, std::string_view to) {
  for (Member& member : answer.map())
    if (member.key == from) member.key = to;
  return answer;
}

Value schema_value(const std::string& database_id, const SchemaAnswer& answer) {
  Map schema = to_map(answer.schema);
  auto take = [&schema](std::string_view key, Value otherwise) {
    const Value* found = find_member(schema, key);
    return found == nullptr ? std::move(otherwise) : *found;
  };
  Value value = Map{{"database_id", database_id}, {"name", answer.schema.name}};
  if (!answer.schema.description.empty()) value.set("description", answer.schema.description);
  value.set("columns", take("columns", List{}));
  value.set("views", take("views", List{}));
  value.set("templates", take("templates", Map{}));
  value.set("row_id", row_id_value(answer.schema.row_id));
  value.set("etag", to_text(answer.etag));
  return value;
}

namespace {

Value record_of(const RowDifference& row, const Map& head) {
  Value record = head;
  if (!row.database_id.empty()) record.set("database_id", row.database_id);
  record.set("row_id", row.row_id);
  record.set("change", std::string(name_of(row.fate)));
  if (row.fate == RowFate::renamed) record.set("old_row_id", row.old_row_id);
  return record;
}

}  // namespace

void add_records(const RowDifference& row, const Map& head, List& records) {
  if (row.fields.empty()) records.push_back(record_of(row, head));
  for (const FieldDifference& field : row.fields) {
    Value record = record_of(row, head);
    record.set("field", field.field);
    if (field.from) record.set("from", *field.from);
    if (field.to) record.set("to", *field.to);
    records.push_back(std::move(record));
  }
}

}  // namespace notesdb
