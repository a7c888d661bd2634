#include "schema/keys.h"

namespace notesdb::schema_keys {

Names of_schema() {
  return {"name", "description", "columns", "views", "templates", "row_id", "rows"};
}

Names of_column() {
  Names keys{"id", "rollup"};
  keys.insert(keys.begin() + 1, column_settings.begin(), column_settings.end());
  return keys;
}

Names of_view() {
  return {"id",
          "name",
          "type",
          "columns",
          "group_by",
          "sort_by",
          "sort_desc",
          "filters",
          "sorts",
          "date_column"};
}

Names of_template() {
  return {"name", "title", "fields", "body"};
}

Names of_row_id() {
  return {"style", "prefix", "digits", "from"};
}

Names of_rows() {
  return {"include", "exclude", "layout"};
}

}  // namespace notesdb::schema_keys
