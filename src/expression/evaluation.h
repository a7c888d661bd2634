// Evaluation: the values of expressions about one note.
//
//   Evaluation evaluation(environment, note);
//   Result<Value> total = evaluation.value_of(expression);
//
// Everything an expression may depend on is an input: the note, the other formulas, the time, the
// zone, the files, the seed of random(). The same inputs give the same value. What an expression
// may use is bounded in steps, memory and depth, and Budget (core/budget.h) is looked at; what goes
// beyond fails with limit_exceeded, everything else that has no value with invalid_value.
//
// Values of formulas are kept: each is worked out once for a note, within bounds of its own, so that
// it does not matter which of them are asked for, and in which order. For one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "expression/calendar.h"
#include "expression/syntax.h"
#include "expression/value.h"

namespace notesdb::expression {

class Formulas;
struct Formula;

// The note that expressions are about.
class Subject {
 public:
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  virtual ~Subject() = default;
  virtual Value property(std::string_view name) const = 0;  // null where it is missing
  virtual Value properties() const = 0;
  virtual FilePointer file() const = 0;
};

// What holds for all notes of a question. What it points to must outlive it.
struct Environment {
  Date now{};
  const TimeZone* zone = nullptr;
  const Vault* vault = nullptr;        // null: links lead nowhere
  const Formulas* formulas = nullptr;  // null: there are none
  FilePointer embedding = nullptr;     // `this`
  std::uint64_t seed = 0;
};

constexpr std::uint64_t max_steps = 2'000'000;
constexpr std::size_t max_bytes = std::size_t{16} << 20;
constexpr std::size_t max_evaluation_depth = 1'500;
// A formula deeper than this has those that it uses worked out before it.
constexpr std::size_t max_formula_depth = 400;

class Evaluation {
 public:
  Evaluation(const Environment& environment, const Subject& subject)
      : environment_(environment), subject_(subject) {}
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;

  Result<Value> value_of(const Node& tree);
  Result<Value> value_of_formula(std::string_view name);
  // As the value stands in an answer: dates in ISO form, links as [[target]], files by path; of a
  // number that is none an error.
  Result<notesdb::Value> answer_of(const Value& value);

  // For functions; all of them throw Failure.
  Value evaluate(const Node& node);
  struct Item {
    Value value;
    double index = 0;
    Value carried{};
  };
  Value evaluate_for(const Node& node, const Item& item);
  void spend_steps(std::uint64_t steps);
  void take_bytes(std::size_t bytes);
  bool are_equal(const Value& a, const Value& b);
  // Below 0, 0 or above: numbers, dates and lengths of time by size, texts by code point.
  // Empty where the two have no order.
  std::optional<int> compare(const Value& a, const Value& b);
  std::string text_of(const Value& value);
  double number_of(const Value& value);
  FilePointer file_of(const Value& value);
  double next_random();

  // How much the values of formulas took to make, all of which are kept.
  std::uint64_t formula_bytes() const { return formula_bytes_; }
  const Environment& environment() const { return environment_; }
  const TimeZone& zone() const { return *environment_.zone; }
  const Subject& subject() const { return subject_; }

 private:
  // What is known of a formula.
  struct FormulaValue {
    bool is_under_way = false;
    std::optional<Result<Value>> value{};
  };
  Value formula(std::string_view name);
  const Formula* find_formula(std::string_view name) const;
  void work_out(const Formula& formula, FormulaValue& known);
  void work_out_below(const Formula& formula);
  Value member(const Value& object, std::string_view name);
  Value element(const Value& object, const Value& key);
  Value call(const Node& node);
  Value method(const Node& node);
  Value negative(const Node& node);
  Value binary(const Node& node);
  Value add(const Value& left, const Value& right);
  Value subtract(const Value& left, const Value& right);
  Value multiply(const Node& node, const Value& left, const Value& right);
  Value ordered(const Node& node, const Value& left, const Value& right);
  bool are_equal_links(const Value& a, const Value& b);
  notesdb::Value answer(const Value& value);

  const Environment& environment_;
  const Subject& subject_;
  const Item* item_ = nullptr;
  std::vector<FormulaValue> formula_values_;  // by number
  std::uint64_t steps_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t formula_bytes_ = 0;
  std::uint32_t looks_ = 0;
  std::size_t depth_ = 0;
  std::uint64_t randoms_ = 0;
};

// A field of a file as an expression sees it: a text that is one wiki link from end to end is a
// link, one that is a date in ISO form a date.
Value value_of_field(const notesdb::Value& field, std::string_view source, const TimeZone& zone);

}  // namespace notesdb::expression
