#include "operations/past_answer.h"

#include <string>

namespace notesdb {

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
