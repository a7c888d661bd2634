// Note facts: what the text of a note says beside its fields: tags, tasks, inline fields.
//
//   tags: [work/alpha]     #home          tags work, work/alpha, home
//   - [ ] call Ann 📅 2024-05-01          an open task, due then
//   rating:: 4.5    [mood:: good]         inline fields
//
// Pure. What counts and what does not stands in docs/vaults.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"
#include "note/note.h"

namespace notesdb {

struct NoteFacts {
  std::vector<std::string> tags{};  // every level, as first spelled
  std::vector<std::string> open_tasks{};
  std::vector<std::string> done_tasks{};
  std::int64_t task_count = 0;
  std::string next_due{};  // of the open tasks; empty if none has a date
  Map inline_fields{};     // a list where a key stands more than once
};

// What one text in `tags` is that holds commas or spaces.
enum class TagText { split, none };

NoteFacts facts_of(const Note& note, TagText tag_text);

// The day that a task is due, as 📅 2024-05-01, [due:: 2024-05-01] or @due(2024-05-01) say; empty
// if none does.
std::string due_of(std::string_view task);

}  // namespace notesdb
