// Guard: cpp-httplib as our HTTP server, without letting it read a socket.
//
// The library binds, accepts, and writes answers. Every request is read and judged by us
// (request.h, rules.h), under limits of bytes and time; the library then sees a finished request
// without headers, from memory, and hands it to the one handler. The version packaged in Debian 12
// takes bodies without end, unpacks bombs and decodes headers after checking them (docs/mcp.md).
//
// One thread for each connection, of which there is a bounded number; event streams have a bound of
// their own, so that they cannot keep out calls.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/request.h"
#include "http/rules.h"
#include "mcp/streamable_http.h"

namespace notesdb::http {

struct Answer {
  int status = 200;
  std::string content_type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  // Writes an event stream instead of the body; returns at its end.
  std::function<void(mcp::EventSink& sink)> stream;
};

// `gone` says whether the client has closed its connection.
using Handler = std::function<Answer(const Request& request, const std::function<bool()>& gone)>;

class Guard {
 public:
  Guard(Limits limits, Handler handler);
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard();

  // The port that is now listened to (`port`, or a free one for 0); 0 if it cannot be had, with
  // errno saying why.
  int bind(const std::string& host, int port);
  // Serves until stop(), and lets what is under way end for a few seconds. False if some has not.
  bool serve(const Rules& rules);
  // Safe from any thread, more than once, and before serve().
  void stop();

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace notesdb::http
