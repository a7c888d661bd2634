#include "files/untold_warnings.h"

namespace notesdb {
namespace {

constexpr std::string_view key = "warnings";

std::vector<std::string> warnings_of(const Error& error) {
  std::vector<std::string> warnings;
  const Value* listed = error.data.find(key);
  if (listed == nullptr) return warnings;
  for (const Value& warning : listed->list())
    warnings.push_back(warning.text());
  return warnings;
}

}  // namespace

Error with_warnings(Error error, const std::vector<std::string>& warnings) {
  if (warnings.empty()) return error;
  std::vector<std::string> all = warnings_of(error);
  for (const std::string& warning : warnings) {
    error.message += "; " + warning;
    all.push_back(warning);
  }
  return std::move(error).with(key, Value::list_of(all));
}

void UntoldWarnings::keep(const Error& error) {
  for (std::string& warning : warnings_of(error))
    warnings_.push_back(std::move(warning));
}

}  // namespace notesdb
