#include "index/read_set.h"

#include <algorithm>

#include "index/row_cache.h"

namespace notesdb {
namespace {

thread_local ReadSet* present = nullptr;

}  // namespace

ReadSet::ReadSet() : outer_(present) {
  present = this;
}

ReadSet::~ReadSet() {
  present = outer_;
}

std::optional<States> ReadSet::states() const {
  if (has_failed_) return std::nullopt;
  return states_;
}

void ReadSet::note(const Told& told) {
  if (present == nullptr) return;
  auto& all = present->states_;
  if (std::find(all.begin(), all.end(), told) == all.end()) all.push_back(told);
}

void ReadSet::note_failure() {
  if (present != nullptr) present->has_failed_ = true;
}

bool holds(const States& states) {
  return std::all_of(states.begin(), states.end(), [](const Told& told) {
    return told.cache->is_still(told.state);
  });
}

}  // namespace notesdb
