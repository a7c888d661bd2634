// Outbox: where messages to a client go: standard output, or the event stream of one HTTP answer.
//
// send() may be called from any thread; a message is one JSON text without a line break.
#pragma once

#include <string>

namespace notesdb::mcp {

class Outbox {
 public:
  Outbox() = default;
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  virtual ~Outbox() = default;

  // False if the client is gone; the message is then lost.
  virtual bool send(const std::string& message) = 0;
  // Whether the client is known to be gone.
  virtual bool closed() = 0;
};

}  // namespace notesdb::mcp
