#include "files/untold_notes.h"

namespace notesdb {
namespace {

constexpr std::string_view key = "notes";

std::vector<std::string> notes_of(const Error& error) {
  std::vector<std::string> notes;
  const Value* listed = error.data.find(key);
  if (listed == nullptr) return notes;
  for (const Value& note : listed->list())
    notes.push_back(note.text());
  return notes;
}

}  // namespace

Error with_notes(Error error, const std::vector<std::string>& notes) {
  if (notes.empty()) return error;
  std::vector<std::string> all = notes_of(error);
  for (const std::string& note : notes) {
    error.message += "; " + note;
    all.push_back(note);
  }
  return std::move(error).with(key, Value::list_of(all));
}

void UntoldNotes::keep(const Error& error) {
  for (std::string& note : notes_of(error))
    notes_.push_back(std::move(note));
}

}  // namespace notesdb
