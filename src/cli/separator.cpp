#include "cli/separator.h"

#include <string>
#include <string_view>

namespace notesdb::cli {

char separator_of(const Words& words) {
  const std::string word = words.last("separator").value_or(",");
  if (word == "tab" || word == "\\t") return '\t';
  return word.size() == 1 ? word.front() : ',';
}

Result<void> check_separator(const Words& words) {
  const std::optional<std::string> word = words.last("separator");
  if (!word || *word == "tab" || *word == "\\t") return {};
  constexpr std::string_view separators = ",;|:\t ";
  if (word->size() == 1 && separators.find(word->front()) != std::string_view::npos) return {};
  return Error{ErrorCode::invalid_argument,
               "--separator '" + *word + "' should be one of , ; | : tab or a space",
               Map{}};
}

}  // namespace notesdb::cli
