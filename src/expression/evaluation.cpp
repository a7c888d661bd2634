#include "expression/evaluation.h"

#include <algorithm>
#include <cmath>

#include "core/budget.h"
#include "core/link.h"
#include "core/text.h"
#include "expression/date_text.h"
#include "expression/failure.h"
#include "expression/fields.h"
#include "expression/formulas.h"
#include "expression/regexp.h"

namespace notesdb::expression {

namespace {

std::string quoted(std::string_view name) {
  return "\"" + std::string(name) + "\"";
}

[[noreturn]] void refuse_operator(const Value& left, const Value& right) {
  throw Failure("Invalid operator between " + std::string(name_of(left.kind())) + " and " +
                std::string(name_of(right.kind())));
}

// The receiver whose functions and fields a value has beside those of any value.
bool belongs_to(const Value& value, Receiver receiver) {
  if (receiver == Receiver::global) return false;
  return receiver == Receiver::any || kind_of(receiver) == value.kind();
}

// The one of a name's functions that is meant on this value.
const Function* function_for(std::span<const Function> functions, const Value& value) {
  for (const Function& function : functions)
    if (belongs_to(value, function.receiver)) return &function;
  return nullptr;
}

bool has_arguments(const Function& function, std::size_t count) {
  return count >= function.min_arguments() && count <= function.max_arguments();
}

template <typename Number>
int order_of(Number a, Number b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// Goes up again when a scope ends, however it does.
class Depth {
 public:
  explicit Depth(std::size_t& depth) : depth_(depth) {
    if (++depth_ > max_evaluation_depth) {
      --depth_;
      throw Failure("the expression and its formulas nest too deep", ErrorCode::limit_exceeded);
    }
  }
  ~Depth() { --depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

 private:
  std::size_t& depth_;
};

}  // namespace

Result<Value> Evaluation::value_of(const Node& tree) {
  try {
    return evaluate(tree);
  } catch (const Failure& failure) {
    return failure.error();
  }
}

Result<Value> Evaluation::value_of_formula(std::string_view name) {
  try {
    return formula(name);
  } catch (const Failure& failure) {
    return failure.error();
  }
}

Result<notesdb::Value> Evaluation::answer_of(const Value& value) {
  try {
    return answer(value);
  } catch (const Failure& failure) {
    return failure.error();
  }
}

void Evaluation::spend_steps(std::uint64_t steps) {
  steps_ += steps;
  Budget::look_rarely(looks_);
  if (steps_ > max_steps)
    throw Failure("the expression takes more than 2,000,000 steps", ErrorCode::limit_exceeded);
}

void Evaluation::take_bytes(std::size_t bytes) {
  bytes_ += bytes;
  if (bytes_ > max_bytes)
    throw Failure("the expression makes more than 16 MiB of values", ErrorCode::limit_exceeded);
}

Value Evaluation::evaluate(const Node& node) {
  spend_steps(1);
  const Depth depth(depth_);
  switch (node.kind) {
    case NodeKind::literal: return node.value;
    case NodeKind::list: {
      std::vector<Value> items;
      items.reserve(node.children.size());
      for (const Node& child : node.children)
        items.push_back(evaluate(child));
      take_bytes(items.size() * sizeof(Value));
      return Value::list_of(std::move(items));
    }
    case NodeKind::property: return subject_.property(node.name);
    case NodeKind::note: return subject_.properties();
    case NodeKind::file: return subject_.file() == nullptr ? Value() : Value(subject_.file());
    case NodeKind::formula: return formula(node.name);
    case NodeKind::embedding:
      return environment_.embedding == nullptr ? Value() : Value(environment_.embedding);
    case NodeKind::item: return item_ == nullptr ? Value() : item_->value;
    case NodeKind::index: return item_ == nullptr ? Value() : Value(item_->index);
    case NodeKind::carried: return item_ == nullptr ? Value() : item_->carried;
    case NodeKind::member: {
      const Value object = evaluate(node.children[0]);
      const bool is_embedding = node.children[0].kind == NodeKind::embedding;
      const bool is_property =
          is_embedding && object.is(Kind::file) && find_field(Receiver::file, node.name) == nullptr;
      return is_property ? object.file().property(node.name) : member(object, node.name);
    }
    case NodeKind::element: return element(evaluate(node.children[0]), evaluate(node.children[1]));
    case NodeKind::call: return call(node);
    case NodeKind::method: return method(node);
    case NodeKind::negative: return negative(node);
    case NodeKind::inverse: return !is_truthy(evaluate(node.children[0]));
    case NodeKind::binary: return binary(node);
  }
  return {};
}

Value Evaluation::evaluate_for(const Node& node, const Item& item) {
  const Item* outer = std::exchange(item_, &item);
  try {
    Value value = evaluate(node);
    item_ = outer;
    return value;
  } catch (...) {
    item_ = outer;
    throw;
  }
}

const Formula* Evaluation::find_formula(std::string_view name) const {
  return environment_.formulas == nullptr ? nullptr : environment_.formulas->find(name);
}

Value Evaluation::formula(std::string_view name) {
  const Formula* formula = find_formula(name);
  if (formula == nullptr) throw Failure("Cannot find formula " + quoted(name));
  if (!formula->is_readable) return {};
  formula_values_.resize(environment_.formulas->all().size());
  FormulaValue& known = formula_values_[formula->number];
  if (known.is_under_way) throw Failure("formula " + quoted(name) + " depends on itself");
  if (!known.value && formula->depth > max_formula_depth) work_out_below(*formula);
  if (!known.value) work_out(*formula, known);
  if (!*known.value) throw Failure(known.value->error().message, known.value->error().code);
  return **known.value;
}

void Evaluation::work_out(const Formula& formula, FormulaValue& known) {
  known.is_under_way = true;
  const Item* outer = std::exchange(item_, nullptr);
  const std::uint64_t steps = std::exchange(steps_, 0);
  const std::uint64_t bytes = std::exchange(bytes_, 0);
  known.value = value_of(formula.tree);
  // Many formulas may each have a large value; what one row hardly has is the question's to bear.
  formula_bytes_ += bytes_;
  if (formula_bytes_ > max_bytes) Budget::take(bytes_);
  item_ = outer;
  steps_ = steps;
  bytes_ = bytes;
  known.is_under_way = false;
}

// The deep ones of those that a formula leads to, each after those that it uses, without recursion:
// a schema may have thousands in a row. What leads back to one on the way fails there.
void Evaluation::work_out_below(const Formula& formula) {
  struct Step {
    const Formula* formula;
    std::size_t next = 0;  // of those that it uses
  };
  std::vector<Step> way{{&formula}};
  formula_values_[formula.number].is_under_way = true;
  while (!way.empty()) {
    Step& step = way.back();
    if (step.next < step.formula->uses.formulas.size()) {
      const Formula* used = find_formula(step.formula->uses.formulas[step.next++]);
      if (used == nullptr || !used->is_readable || used->depth <= max_formula_depth) continue;
      FormulaValue& known = formula_values_[used->number];
      if (known.value || known.is_under_way) continue;
      known.is_under_way = true;
      way.push_back({used});
      continue;
    }
    const Formula& done = *step.formula;
    way.pop_back();
    work_out(done, formula_values_[done.number]);
  }
}

Value Evaluation::member(const Value& object, std::string_view name) {
  if (object.is_null()) return {};
  if (object.is(Kind::object)) return object.member(name);
  for (const Field& field : all_fields())
    if (field.name == name && belongs_to(object, field.receiver)) return field.get(*this, object);
  throw Failure("Cannot find " + quoted(name) + " on type " + std::string(name_of(object.kind())));
}

Value Evaluation::element(const Value& object, const Value& key) {
  if (object.is_null() || key.is_null()) return {};
  if (key.is(Kind::string)) return member(object, key.string());
  if (!object.is(Kind::list) || !key.is(Kind::number)) refuse_operator(object, key);
  const double index = key.number();
  const bool is_inside = index >= 0 && index < static_cast<double>(object.list().size());
  return is_inside ? object.list()[static_cast<std::size_t>(index)] : Value();
}

Value Evaluation::call(const Node& node) {
  for (const Function& function : node.functions) {
    if (function.receiver != Receiver::global) continue;
    if (!has_arguments(function, node.children.size()))
      throw Failure("wrong number of arguments; expected " + function.signature());
    return function.run({*this, Value(), node.children});
  }
  throw Failure("Cannot find function " + quoted(node.name));
}

Value Evaluation::method(const Node& node) {
  Value self = evaluate(node.children[0]);
  const Function* function = function_for(node.functions, self);
  // A date of the front matter is a text to whoever wrote it.
  if (function == nullptr && self.is(Kind::date)) {
    function = function_for(node.functions, Value(""));
    if (function != nullptr) self = text_of(self);
  }
  if (function == nullptr && self.is_null() && !node.functions.empty())
    return node.name == "isEmpty" ? Value(true) : Value();
  if (function == nullptr)
    throw Failure("Cannot find function " + quoted(node.name) + " on type " +
                  std::string(name_of(self.kind())));
  const std::span<const Node> arguments = std::span(node.children).subspan(1);
  if (!has_arguments(*function, arguments.size()))
    throw Failure("wrong number of arguments; expected " + function->signature());
  return function->run({*this, self, arguments});
}

Value Evaluation::negative(const Node& node) {
  const Value value = evaluate(node.children[0]);
  if (value.is_null()) return {};
  if (value.is(Kind::duration)) {
    const Duration length = value.duration();
    return Duration{-length.months, -length.days, -length.milliseconds};
  }
  return -number_of(value);
}

Value Evaluation::binary(const Node& node) {
  const Value left = evaluate(node.children[0]);
  if (node.operation == Operation::both)
    return is_truthy(left) && is_truthy(evaluate(node.children[1]));
  if (node.operation == Operation::either)
    return is_truthy(left) || is_truthy(evaluate(node.children[1]));
  const Value right = evaluate(node.children[1]);
  switch (node.operation) {
    case Operation::equal: return are_equal(left, right);
    case Operation::unequal: return !are_equal(left, right);
    case Operation::add: return add(left, right);
    case Operation::subtract: return subtract(left, right);
    case Operation::multiply:
    case Operation::divide:
    case Operation::remainder: return multiply(node, left, right);
    default: return ordered(node, left, right);
  }
}

namespace {

Value shifted(const Value& date, const Value& by, int sign, const TimeZone& zone) {
  std::optional<Duration> length;
  if (by.is(Kind::duration)) length = by.duration();
  if (by.is(Kind::string)) length = parse_duration(by.string());
  if (!length && by.is(Kind::string))
    throw Failure("Unable to parse " + quoted(by.string()) + " as a duration.");
  if (!length) refuse_operator(date, by);
  const auto sum = added(date.date(), *length, sign, zone);
  if (!sum) throw Failure("the date is beyond the years 0 to 9999");
  return *sum;
}

}  // namespace

Value Evaluation::add(const Value& left, const Value& right) {
  if (left.is(Kind::date) &&
      (right.is(Kind::duration) || (right.is(Kind::string) && parse_duration(right.string()))))
    return shifted(left, right, 1, zone());
  if (left.is(Kind::string) || right.is(Kind::string)) {
    std::string text = text_of(left) + text_of(right);
    take_bytes(text.size());
    return text;
  }
  if (left.is_null() || right.is_null()) return {};
  if (left.is(Kind::duration) && right.is(Kind::date)) return shifted(right, left, 1, zone());
  if (left.is(Kind::duration) && right.is(Kind::duration)) {
    const Duration a = left.duration();
    const Duration b = right.duration();
    return Duration{a.months + b.months, a.days + b.days, a.milliseconds + b.milliseconds};
  }
  if (!left.is(Kind::number) || !right.is(Kind::number)) refuse_operator(left, right);
  return left.number() + right.number();
}

Value Evaluation::subtract(const Value& left, const Value& right) {
  if (left.is_null() || right.is_null()) return {};
  if (left.is(Kind::date) && right.is(Kind::date))
    return Duration{.milliseconds =
                        static_cast<double>(left.date().milliseconds - right.date().milliseconds)};
  if (left.is(Kind::date)) return shifted(left, right, -1, zone());
  if (left.is(Kind::duration) && right.is(Kind::duration)) {
    const Duration a = left.duration();
    const Duration b = right.duration();
    return Duration{a.months - b.months, a.days - b.days, a.milliseconds - b.milliseconds};
  }
  if (!left.is(Kind::number) || !right.is(Kind::number)) refuse_operator(left, right);
  return left.number() - right.number();
}

Value Evaluation::multiply(const Node& node, const Value& left, const Value& right) {
  if (left.is_null() || right.is_null()) return {};
  const bool scales =
      left.is(Kind::duration) && right.is(Kind::number) && node.operation != Operation::remainder;
  if (scales) {
    const double by = node.operation == Operation::multiply ? right.number() : 1 / right.number();
    const Duration length = left.duration();
    return Duration{length.months * by, length.days * by, length.milliseconds * by};
  }
  if (!left.is(Kind::number) || !right.is(Kind::number)) refuse_operator(left, right);
  if (node.operation == Operation::multiply) return left.number() * right.number();
  if (node.operation == Operation::divide) return left.number() / right.number();
  return std::fmod(left.number(), right.number());
}

Value Evaluation::ordered(const Node& node, const Value& left, const Value& right) {
  if (left.is_null() || right.is_null()) return false;
  const auto order = compare(left, right);
  if (!order) refuse_operator(left, right);
  switch (node.operation) {
    case Operation::less: return *order < 0;
    case Operation::greater: return *order > 0;
    case Operation::at_most: return *order <= 0;
    default: return *order >= 0;
  }
}

std::optional<int> Evaluation::compare(const Value& a, const Value& b) {
  spend_steps(1);
  if (a.kind() != b.kind()) {
    // A text beside a date is one as far as it can be read as one.
    if (a.is(Kind::date) && b.is(Kind::string)) {
      const auto read = parse_date(b.string(), zone());
      return read ? compare(a, *read) : std::nullopt;
    }
    if (a.is(Kind::string) && b.is(Kind::date)) {
      const auto reversed = compare(b, a);
      return reversed ? std::optional(-*reversed) : std::nullopt;
    }
    return std::nullopt;
  }
  switch (a.kind()) {
    case Kind::boolean: return order_of(a.boolean(), b.boolean());
    case Kind::number:
      if (std::isnan(a.number()) || std::isnan(b.number())) return std::nullopt;
      return order_of(a.number(), b.number());
    case Kind::string: return order_of(a.string().compare(b.string()), 0);
    case Kind::date: return order_of(a.date().milliseconds, b.date().milliseconds);
    case Kind::duration:
      return order_of(milliseconds_of(a.duration()), milliseconds_of(b.duration()));
    case Kind::link:
    case Kind::file: return order_of(text_of(a).compare(text_of(b)), 0);
    default: return std::nullopt;
  }
}

bool Evaluation::are_equal(const Value& a, const Value& b) {
  spend_steps(1);
  const auto is_place = [](const Value& value) {
    return value.is(Kind::link) || value.is(Kind::file);
  };
  if (is_place(a) && is_place(b)) return are_equal_links(a, b);
  if (a.kind() != b.kind()) return compare(a, b) == 0;
  switch (a.kind()) {
    case Kind::null: return true;
    case Kind::list:
      return std::ranges::equal(
          a.list(), b.list(), [&](const Value& x, const Value& y) { return are_equal(x, y); });
    case Kind::object:
      if (a.object().size() != b.object().size()) return false;
      return std::ranges::all_of(a.object(), [&](const auto& member) {
        return are_equal(member.second, b.member(member.first));
      });
    case Kind::regexp: return a.regexp().written() == b.regexp().written();
    case Kind::html:
    case Kind::image:
    case Kind::icon: return a.drawn().text == b.drawn().text;
    default: return compare(a, b) == 0;
  }
}

bool Evaluation::are_equal_links(const Value& a, const Value& b) {
  const FilePointer first = file_of(a);
  const FilePointer second = file_of(b);
  if (first != nullptr && second != nullptr) return first->path() == second->path();
  if (first != nullptr || second != nullptr) return false;
  return a.link().target == b.link().target;
}

FilePointer Evaluation::file_of(const Value& value) {
  if (value.is(Kind::link) && environment_.vault != nullptr)
    return environment_.vault->find(value.link().target, value.link().source);
  if (value.is(Kind::string) && environment_.vault != nullptr) {
    const auto link = parse_link(value.string());
    return environment_.vault->find(link ? link->target : value.string(), "");
  }
  if (!value.is(Kind::file)) return nullptr;
  return value.file_pointer();
}

std::string Evaluation::text_of(const Value& value) {
  switch (value.kind()) {
    case Kind::null: return "";
    case Kind::boolean: return value.boolean() ? "true" : "false";
    case Kind::number: return number_text(value.number());
    case Kind::string: return value.string();
    case Kind::date: return iso_text(value.date(), zone());
    case Kind::duration: return words_of(value.duration());
    case Kind::link: {
      const Link& link = value.link();
      const bool is_address = link.target.find("://") != std::string::npos;
      if (is_address) return link.target;
      return "[[" + link.target + (link.display ? "|" + *link.display : "") + "]]";
    }
    case Kind::file: return value.file().path();
    case Kind::regexp: return value.regexp().written();
    case Kind::list: {
      std::string text;
      for (const Value& item : value.list()) {
        if (&item != value.list().data()) text += ",";
        text += text_of(item);
        if (text.size() > max_bytes) take_bytes(text.size());
      }
      take_bytes(text.size());
      return text;
    }
    case Kind::object: return to_display(answer(value));
    default: return value.drawn().text;
  }
}

double Evaluation::number_of(const Value& value) {
  if (value.is(Kind::number)) return value.number();
  if (value.is(Kind::boolean)) return value.boolean() ? 1 : 0;
  if (value.is(Kind::date)) return static_cast<double>(value.date().milliseconds);
  const std::string text = value.is(Kind::string) ? value.string() : text_of(value);
  const std::size_t begin = text.find_first_not_of(" \t\n\r");
  const std::size_t end = text.find_last_not_of(" \t\n\r");
  if (value.is(Kind::string) && begin != std::string::npos) {
    const std::string digits = text.substr(begin, end - begin + 1);
    const bool is_plain = digits.find_first_not_of("0123456789+-.eE") == std::string::npos;
    char* stop = nullptr;
    const double number = std::strtod(digits.c_str(), &stop);
    if (is_plain && stop == digits.c_str() + digits.size()) return number;
  }
  throw Failure("Unable to parse " + quoted(text.substr(0, 200)) + " as a number.");
}

// SplitMix64 of the seed and how many were asked for before.
double Evaluation::next_random() {
  std::uint64_t bits = environment_.seed + 0x9E3779B97F4A7C15U * ++randoms_;
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
  bits ^= bits >> 31U;
  return static_cast<double>(bits >> 11U) / static_cast<double>(std::uint64_t{1} << 53U);
}

notesdb::Value Evaluation::answer(const Value& value) {
  switch (value.kind()) {
    case Kind::null: return {};
    case Kind::boolean: return value.boolean();
    case Kind::number: {
      const double number = value.number();
      if (!std::isfinite(number)) throw Failure("not a finite number");
      constexpr double max_whole = 9'007'199'254'740'992;
      const bool is_whole = std::trunc(number) == number && std::fabs(number) <= max_whole;
      return is_whole ? notesdb::Value(static_cast<std::int64_t>(number)) : notesdb::Value(number);
    }
    case Kind::list: {
      notesdb::List list;
      for (const Value& item : value.list())
        list.push_back(answer(item));
      return list;
    }
    case Kind::object: {
      notesdb::Map map;
      for (const auto& [name, member] : value.object())
        map.push_back({name, answer(member)});
      return map;
    }
    case Kind::link: {
      Link link = value.link();
      link.display.reset();
      return text_of(link);
    }
    default: return text_of(value);
  }
}

Value value_of_field(const notesdb::Value& field, std::string_view source, const TimeZone& zone) {
  switch (field.kind()) {
    case ValueKind::null: return {};
    case ValueKind::boolean: return field.boolean();
    case ValueKind::integer:
    case ValueKind::real: return field.number();
    case ValueKind::text: {
      const std::string& text = field.text();
      if (text.starts_with("[[") && text.ends_with("]]") && text.find("]]") == text.size() - 2 &&
          text.size() > 4) {
        const std::string inner = text.substr(2, text.size() - 4);
        const std::size_t bar = inner.find('|');
        Link link{.target = inner.substr(0, bar), .source = std::string(source)};
        if (bar != std::string::npos) link.display = inner.substr(bar + 1);
        return link;
      }
      if (!text.empty() && text[0] >= '0' && text[0] <= '9')
        if (const auto date = parse_date(text, zone)) return *date;
      return text;
    }
    case ValueKind::list: {
      std::vector<Value> items;
      items.reserve(field.list().size());
      for (const notesdb::Value& item : field.list())
        items.push_back(value_of_field(item, source, zone));
      return Value::list_of(std::move(items));
    }
    case ValueKind::map: {
      std::vector<std::pair<std::string, Value>> members;
      for (const Member& member : field.map())
        members.emplace_back(member.key, value_of_field(member.value, source, zone));
      return Value::object_of(std::move(members));
    }
  }
  return {};
}

}  // namespace notesdb::expression
