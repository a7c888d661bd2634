#include "operations/argument.h"

#include <algorithm>

namespace notesdb {

std::string Argument::flag_name() const {
  if (!flag.empty()) return flag;
  std::string spelled = name;
  std::ranges::replace(spelled, '_', '-');
  return spelled;
}

std::string_view Argument::value_name() const {
  switch (kind) {
    case ArgumentKind::database: return "DB";
    case ArgumentKind::row: return "ROW";
    case ArgumentKind::integer: return "N";
    case ArgumentKind::names: return "A,B";
    case ArgumentKind::text:
    case ArgumentKind::body: return positional ? "NAME" : "TEXT";
    case ArgumentKind::choice: return "WORD";
    case ArgumentKind::boolean: return "";
    default: return "JSON";
  }
}

Shape shape_of(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::integer: return Shape::integer;
    case ArgumentKind::boolean: return Shape::boolean;
    case ArgumentKind::names:
    case ArgumentKind::filters:
    case ArgumentKind::sorts:
    case ArgumentKind::columns:
    case ArgumentKind::metrics:
    case ArgumentKind::records: return Shape::list;
    case ArgumentKind::fields:
    case ArgumentKind::settings: return Shape::map;
    default: return Shape::text;
  }
}

}  // namespace notesdb
