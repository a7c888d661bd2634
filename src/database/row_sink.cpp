#include "database/row_sink.h"

#include "core/date.h"

namespace notesdb {

std::string ListedRow::modified() const {
  return format_utc(table_.modified(row_));
}

Row ListedRow::copy() const {
  Row copy;
  copy.id = id();
  copy.etag = etag();
  copy.fields.reserve(shown_.size());
  for (const Field& field : shown_) {
    switch (field.source) {
      case Field::Source::column:
        if (const std::uint32_t code = this->code(field); code != 0)
          copy.fields.push_back({field.name, value(field, code)});
        break;
      case Field::Source::path: copy.fields.push_back({field.name, path()}); break;
      case Field::Source::modified: copy.modified = modified(); break;
      case Field::Source::id:
      case Field::Source::body: break;
    }
  }
  return copy;
}

}  // namespace notesdb
