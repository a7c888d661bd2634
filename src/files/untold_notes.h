// UntoldNotes: what an attempt at a change had to say that failed and is made again. Another
// program's version may have been put aside beside its row, and the answer that ends the attempts,
// be it done or refused, must say where.
//
//   return tell_all([&](UntoldNotes& untold) -> Result<Answer> {
//     for (;;) {
//       Result<Answer> answer = attempt();
//       if (answer || !was_overtaken(answer.error())) return answer;
//       untold.keep(answer.error());
//     }
//   });
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/result.h"

namespace notesdb {

// The error with these said in its message and listed in its data, behind those that it has.
Error with_notes(Error error, const std::vector<std::string>& notes);

class UntoldNotes {
 public:
  // Of an attempt that is not the last.
  void keep(const Error& error);
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<std::string> notes_;
};

// The answer of `attempts`, which has notes, or its error, with those that were kept in between.
template <typename Attempts>
std::invoke_result_t<Attempts, UntoldNotes&> tell_all(const Attempts& attempts) {
  UntoldNotes untold;
  auto answer = attempts(untold);
  if (!answer) return with_notes(std::move(answer).error(), untold.notes());
  answer->notes.insert(answer->notes.begin(), untold.notes().begin(), untold.notes().end());
  return answer;
}

}  // namespace notesdb
