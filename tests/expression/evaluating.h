// Evaluating: expressions about one made-up note, at a fixed time in UTC, answered as text.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/value.h"
#include "expression/evaluation.h"
#include "expression/formulas.h"

namespace notesdb::expression {

class MadeNote : public Subject {
 public:
  void set(std::string name, Value value) {
    members_.emplace_back(std::move(name), std::move(value));
  }
  Value property(std::string_view name) const override {
    for (const auto& [key, value] : members_)
      if (key == name) return value;
    return {};
  }
  Value properties() const override { return Value::object_of(members_); }
  FilePointer file() const override { return nullptr; }

 private:
  std::vector<std::pair<std::string, Value>> members_;
};

// 2026-06-10T07:17:08Z.
inline Environment made_environment() {
  return {.now = {1'781'075'828'000, true}, .zone = &utc_time_zone()};
}

// The value as compact JSON, "error: why" where it has none, "syntax N: why" where it is none.
inline std::string answer(std::string_view text,
                          const MadeNote& note = {},
                          const Environment& environment = made_environment()) {
  const Parsed parsed = parse_syntax(text);
  if (!parsed.is_tree)
    return "syntax " + std::to_string(parsed.problems[0].position) + ": " +
           parsed.problems[0].message;
  Evaluation evaluation(environment, note);
  const auto value = evaluation.value_of(parsed.tree);
  if (!value) return "error: " + value.error().message;
  const auto plain = evaluation.answer_of(*value);
  return plain ? to_display(*plain) : "error: " + plain.error().message;
}

}  // namespace notesdb::expression
