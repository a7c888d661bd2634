// The intent: what a change of several files is about to do, on the disk before it begins, so that
// the next writer can finish it if we die. There is at most one, because it lives under the lock.
//
// `.notesdb/intent/current` holds the word of the store (journal.h), the change's journal lines and
// a last line "end", without which it is not valid (and then nothing had been done). One without
// our word is somebody else's, and is never finished. One that could not be finished is kept as
// `<change>.stuck` for a person to look at.
#pragma once

#include <string_view>
#include <vector>

#include "files/file_system.h"

namespace notesdb {

// Each takes the descriptor of the intent folder. write_intent answers with errno.
int write_intent(int folder, std::string_view word, const std::vector<JournalEntry>& steps);
bool has_intent(int folder);
struct Intent {
  bool is_ours = false;             // it begins with the word
  std::vector<JournalEntry> steps;  // empty if it is not ours, or not valid
};
Intent read_intent(int folder, std::string_view word);
void remove_intent(int folder);
// As `<change>.stuck`.
void set_intent_aside(int folder, std::string_view change);

}  // namespace notesdb
