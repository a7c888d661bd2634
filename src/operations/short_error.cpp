#include "operations/short_error.h"

namespace notesdb {
namespace {

constexpr std::size_t longest_message = std::size_t{16} << 10U;
constexpr std::size_t longest_fact = std::size_t{1} << 10U;
constexpr std::size_t most_errors = 50;

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
    if (fact.value.is_text()) cut(fact.value.text(), longest_fact);
}

}  // namespace

Error shortened(Error error) {
  cut(error.message, longest_message);
  if (!error.data.is_map()) return error;
  cut_facts(error.data.map());
  Value* errors = error.data.find("errors");
  if (errors == nullptr || !errors->is_list()) return error;
  List& list = errors->list();
  if (list.size() > most_errors) list.resize(most_errors);
  for (Value& each : list)
    if (each.is_map()) cut_facts(each.map());
  return error;
}

}  // namespace notesdb
