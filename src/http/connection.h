// Connection: one accepted socket, read within limits and written within a time.
//
// What is written is kept until flush(), so that a short answer leaves in one piece.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <variant>

#include "http/request.h"

namespace notesdb::http {

class Connection {
 public:
  // `stop` becomes readable when the server stops; waiting for a request then ends.
  Connection(int socket, int stop, const Limits& limits);

  // Head bytes of the next request; std::monostate if the client has no more to say.
  std::variant<std::monostate, Request, Refusal> next_head();
  // The rest of it. False if it did not come in time.
  bool read_body(Request& request);

  bool write(std::string_view bytes);
  bool flush();
  // From here on, and until the end of the stream, every write leaves at once.
  void become_stream();
  void end_stream() { stream_ = false; }
  bool is_stream() const { return stream_; }

  // Whether any of the answer to the last request has left.
  bool has_answered() const { return answered_; }
  // Whether the client has closed its side, or an earlier write failed.
  bool closed();
  // Says why, instead of anything else that was to be written, and closes our side. `patience_ms`:
  // how long what still comes is read, so that the refusal is not lost in a reset.
  void refuse(const Refusal& refusal, int patience_ms = 50);

  int socket() const { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;

  enum class Arrived { some, nothing, end };
  bool send_all(std::string_view bytes);
  Arrived receive(std::size_t most, Clock::time_point until);

  int socket_;
  int stop_;
  const Limits& limits_;
  std::string in_;
  std::string out_;
  bool first_ = true;
  bool stream_ = false;
  bool answered_ = false;
  bool broken_ = false;
};

}  // namespace notesdb::http
