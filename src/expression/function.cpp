#include "expression/function.h"

#include <algorithm>
#include <limits>

#include "expression/evaluation.h"

namespace notesdb::expression {

std::string_view name_of(Receiver receiver) {
  if (receiver == Receiver::global) return "Global";
  const auto kind = kind_of(receiver);
  return kind ? name_of(*kind) : "Any";
}

std::optional<Kind> kind_of(Receiver receiver) {
  switch (receiver) {
    case Receiver::date: return Kind::date;
    case Receiver::string: return Kind::string;
    case Receiver::number: return Kind::number;
    case Receiver::list: return Kind::list;
    case Receiver::link: return Kind::link;
    case Receiver::file: return Kind::file;
    case Receiver::object: return Kind::object;
    case Receiver::regexp: return Kind::regexp;
    case Receiver::duration: return Kind::duration;
    default: return std::nullopt;
  }
}

Value Call::value(std::size_t i) const {
  return has(i) ? evaluation.evaluate(arguments[i]) : Value();
}

std::string Call::text(std::size_t i) const {
  return evaluation.text_of(value(i));
}

double Call::number(std::size_t i) const {
  return evaluation.number_of(value(i));
}

std::size_t Function::min_arguments() const {
  if (arguments.empty()) return 0;
  std::size_t count = 1;
  for (const char c : arguments)
    count += c == ',' ? 1 : 0;
  return count - static_cast<std::size_t>(std::ranges::count(arguments, '?'));
}

std::size_t Function::max_arguments() const {
  if (arguments.empty()) return 0;
  if (arguments.ends_with("...")) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(std::ranges::count(arguments, ',')) + 1;
}

std::string Function::signature() const {
  return std::string(name) + "(" + std::string(arguments) + ")";
}

}  // namespace notesdb::expression
