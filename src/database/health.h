// Health: what a workspace can rely on: the means of its file system and kernel, what it may do,
// and what an interrupted change has left after. docs/writing.md says what each is good for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "database/workspace.h"

namespace notesdb {

enum class Health {
  holds,
  smaller,  // there is a way round it, and `meaning` says what it costs
  broken,   // a person should look
};

std::string_view name_of(Health health);

struct Finding {
  std::string check;  // exchange, lease, ...
  Health health = Health::holds;
  std::string meaning;  // one sentence
};

// What is to be told of the folder `.notesdb` of a workspace with these settings: it is not ours, or
// one that was not ours lies aside. Empty if nothing is.
std::string store_warning(const Settings& settings);

// Where writing is allowed the means are tried, in `.notesdb`, without a trace; where it is not,
// they are not tried.
Result<std::vector<Finding>> examine(Workspace& workspace);

}  // namespace notesdb
