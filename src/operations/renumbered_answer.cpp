#include "operations/renumbered_answer.h"

namespace notesdb {

Value to_value(const std::vector<Renumbered>& rows) {
  List list;
  for (const Renumbered& row : rows) {
    Value value =
        Map{{"database_id", row.database_id}, {"row_id", row.old_id}, {"new_row_id", row.new_id}};
    value.set("changed", Value::list_of(row.changed));
    list.push_back(std::move(value));
  }
  return list;
}

}  // namespace notesdb
