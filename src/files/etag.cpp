#include "files/etag.h"

#include <new>

#include <xxhash.h>

namespace notesdb {

Etag etag_of(std::string_view bytes) {
  return Etag{XXH3_64bits(bytes.data(), bytes.size())};
}

EtagStream::EtagStream() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_64bits_reset(state_.get());
}

void EtagStream::Free::operator()(XXH3_state_s* state) const {
  XXH3_freeState(state);
}

void EtagStream::add(std::string_view part) {
  XXH3_64bits_update(state_.get(), part.data(), part.size());
}

Etag EtagStream::etag() const {
  return Etag{XXH3_64bits_digest(state_.get())};
}

}  // namespace notesdb
