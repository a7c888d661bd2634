// EtagStream: the etag of bytes that come in parts, as if they lay one after the other.
#pragma once

#include <memory>
#include <string_view>

#include "core/etag.h"

struct XXH3_state_s;

namespace notesdb {

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
