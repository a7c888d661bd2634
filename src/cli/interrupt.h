// Interrupt: what Ctrl-C leaves after, said before the process ends by the signal.
#pragma once

#include <string_view>

namespace notesdb::cli {

// While one lives, SIGINT prints its sentence on standard error. One at a time; a signal that is
// ignored stays ignored.
class InterruptNotice {
 public:
  // The text must outlive the object: it is read by the handler.
  explicit InterruptNotice(std::string_view sentence);
  InterruptNotice(const InterruptNotice&) = delete;
  InterruptNotice& operator=(const InterruptNotice&) = delete;
  ~InterruptNotice();

 private:
  bool is_set_ = false;
};

constexpr std::string_view nothing_changed = "notesdb: interrupted; nothing was changed\n";
constexpr std::string_view whole_or_not =
    "notesdb: interrupted; the change was made as a whole or not at all\n";

}  // namespace notesdb::cli
