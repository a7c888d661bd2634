#include "operations/argument.h"

#include <algorithm>
#include <cctype>

namespace notesdb {

namespace {

// new_row_id -> ID
std::string last_word(const std::string& name) {
  std::string word = name.substr(name.find_last_of('_') + 1);
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::toupper(c); });
  return word;
}

// setup|renumber
std::string joined_choices(const std::vector<std::string>& choices) {
  std::string text;
  for (const std::string& choice : choices)
    text += (text.empty() ? "" : "|") + choice;
  return text;
}

}  // namespace

std::string Argument::flag_name() const {
  if (!flag.empty()) return flag;
  std::string spelled = name;
  std::ranges::replace(spelled, '_', '-');
  return spelled;
}

std::string Argument::value_name() const {
  if (!metavar.empty()) return metavar;
  switch (kind) {
    case ArgumentKind::database: return "DB";
    case ArgumentKind::row: return "ROW";
    case ArgumentKind::integer: return "N";
    case ArgumentKind::names: return "A,B";
    case ArgumentKind::text: return last_word(name);
    case ArgumentKind::body: return "TEXT";
    case ArgumentKind::choice: return joined_choices(choices);
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
    case ArgumentKind::changes:
    case ArgumentKind::records: return Shape::list;
    case ArgumentKind::fields:
    case ArgumentKind::settings: return Shape::map;
    default: return Shape::text;
  }
}

}  // namespace notesdb
