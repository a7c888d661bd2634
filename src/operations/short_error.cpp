#include "operations/short_error.h"

#include <algorithm>

#include "json/json_value.h"

namespace notesdb {
namespace {

constexpr std::size_t longest_list = std::size_t{16} << 10U;  // of sentences about one call
constexpr std::size_t longest_message = 480;
constexpr std::size_t longest_fact = 100;
constexpr std::size_t longest_error = 600;
constexpr std::size_t max_errors = 50;

void cut(std::string& text, std::size_t longest) {
  if (text.size() <= longest) return;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  const std::string more = std::to_string(text.size() - end);
  text.resize(end);
  text += "... (" + more + " bytes more)";
}

void cut_facts(Map& facts) {
  for (Member& fact : facts)
    if (fact.value.is_text() && fact.key != "message") cut(fact.value.text(), longest_fact);
}

// Leaves out the last choices until the error is short enough.
void cut_choices(Error& error) {
  if (error.data.find("choices") == nullptr || !error.data.find("choices")->is_list()) return;
  std::int64_t left_out = 0;
  while (to_json(to_value(error)).size() > longest_error) {
    List& names = error.data.find("choices")->list();
    if (names.empty()) return;
    const std::size_t some = std::max<std::size_t>(1, names.size() / 8);
    names.resize(names.size() - some);
    left_out += static_cast<std::int64_t>(some);
    error.data.set("more_choices", left_out);
  }
}

// The facts of errors that were joined, without what the message and the errors before them say.
void say_once(const Error& joined, Value& data) {
  Value* errors = data.find("errors");
  if (errors == nullptr || !errors->is_list() || errors->list().empty()) return;
  if (!errors->list().front().is_map()) return;
  // What the call as a whole is told is not told again of its first error.
  Map& first = errors->list().front().map();
  std::erase_if(first, [&](const Member& fact) {
    const Value* told = data.find(fact.key);
    return told != nullptr && *told == fact.value;
  });
  List seen;
  if (const Value* choices = data.find("choices")) seen.push_back(*choices);
  for (Value& one : errors->list()) {
    if (!one.is_map()) continue;
    std::erase_if(one.map(), [&](const Member& fact) {
      if (fact.key == "message" && fact.value.is_text())
        return joined.message.find(fact.value.text()) != std::string::npos;
      if (fact.key != "choices") return false;
      const bool is_known = std::ranges::find(seen, fact.value) != seen.end();
      if (!is_known) seen.push_back(fact.value);
      return is_known;
    });
  }
}

}  // namespace

Error shortened(Error error) {
  if (!error.data.is_map()) return error;
  Value* errors = error.data.find("errors");
  const bool is_list = errors != nullptr && errors->is_list();
  cut(error.message, is_list || error.code == ErrorCode::conflict ? longest_list : longest_message);
  cut_facts(error.data.map());
  if (!is_list) {
    if (error.code != ErrorCode::conflict) cut_choices(error);
    return error;
  }
  List& list = errors->list();
  if (list.size() > max_errors) list.resize(max_errors);
  for (Value& each : list)
    if (each.is_map()) cut_facts(each.map());
  return error;
}

Value to_value(const Error& error) {
  Value value = Map{};
  value.set("code", name_of(error.code));
  value.set("message", error.message);
  if (!error.data.is_map() || error.data.map().empty()) return value;
  Value data = error.data;
  say_once(error, data);
  value.set("data", std::move(data));
  return value;
}

}  // namespace notesdb
