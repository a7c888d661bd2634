#include "files/pending_changes.h"

#include <utility>

#include "files/names.h"

namespace notesdb {

Result<StatKey> PendingChanges::add(std::string_view folder) {
  const auto found = files_.stat(folder);
  if (!found) return found.error();
  folders_.emplace(folder);
  return found->key;
}

void PendingChanges::remove(std::string_view folder) {
  if (const auto known = folders_.find(folder); known != folders_.end()) folders_.erase(known);
}

Changes PendingChanges::drain() {
  return std::exchange(changes_, {});
}

void PendingChanges::note(std::string_view path) {
  for (std::string_view here = path; here != "."; here = folder_of(here)) {
    const auto folder = folders_.find(folder_of(here));
    if (folder == folders_.end()) continue;
    changes_.names.insert({*folder, std::string(name_in(here))});
    return;
  }
}

}  // namespace notesdb
