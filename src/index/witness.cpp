#include "index/witness.h"

#include <algorithm>

#include "index/row_cache.h"

namespace notesdb {
namespace {

thread_local Witness* present = nullptr;

}  // namespace

Witness::Witness() : outer_(present) {
  present = this;
}

Witness::~Witness() {
  present = outer_;
}

std::optional<Testimony> Witness::testimony() const {
  if (has_failed_) return std::nullopt;
  return told_;
}

void Witness::note(const Told& told) {
  if (present == nullptr) return;
  auto& all = present->told_;
  if (std::find(all.begin(), all.end(), told) == all.end()) all.push_back(told);
}

void Witness::note_failure() {
  if (present != nullptr) present->has_failed_ = true;
}

bool holds(const Testimony& testimony) {
  return std::all_of(testimony.begin(), testimony.end(), [](const Told& told) {
    return told.cache->is_still(told.state);
  });
}

}  // namespace notesdb
