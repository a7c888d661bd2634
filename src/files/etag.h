// etag_of: the etag of a file's bytes, XXH3-64 of all of them.
//
// It says whether two readings held the same bytes, and decides no trust: whoever owns both texts
// could make them collide and would fool only himself.
#pragma once

#include <memory>
#include <string_view>

#include "core/etag.h"

struct XXH3_state_s;

namespace notesdb {

Etag etag_of(std::string_view bytes);

// The etag of bytes that come in parts, as if they lay one after the other.
class EtagStream {
 public:
  EtagStream();
  void add(std::string_view part);
  Etag etag() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace notesdb
