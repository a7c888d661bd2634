#include "database/auto_dates.h"

namespace notesdb {

Value moment_for(const Column& column, Timestamp now) {
  constexpr std::int64_t second = 1'000'000;
  now.microseconds -= now.microseconds % second;
  if (column.type == ColumnType::date) now.has_time = false;
  return format_moment(now);
}

Map auto_fields(const Schema& schema, Timestamp now, AutoWrite write) {
  Map fields;
  for (const Column& column : schema.columns) {
    const bool is_set = column.auto_date == AutoDate::updated ||
                        (column.auto_date == AutoDate::created && write == AutoWrite::insert);
    if (is_set) fields.push_back({column.id, moment_for(column, now)});
  }
  return fields;
}

}  // namespace notesdb
