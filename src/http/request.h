// Request: one HTTP request, read and judged by our own rules before any library sees it.
//
// What is not plainly a request for this server is refused: other versions than HTTP/1.1, bodies
// without a length or in chunks or compressed, a length given twice, control characters, no Host or
// two, heads and bodies beyond their limits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "mcp/http_headers.h"

namespace notesdb::http {

struct Limits {
  std::size_t head_bytes = std::size_t{16} << 10;
  std::size_t headers = 64;
  std::size_t target_bytes = 2048;
  std::size_t body_bytes = std::size_t{1} << 20;
  std::size_t small_body_bytes = std::size_t{16} << 10;  // larger ones count together
  std::size_t all_bodies_bytes = std::size_t{4} << 20;
  int head_ms = 5000;  // from its first byte to its last
  int body_ms = 10000;
  int idle_ms = 5000;  // between two requests
  int write_ms = 10000;
  int requests = 1000;  // of one connection
  unsigned connections = 128;
  unsigned streams = 256;
};

struct Request {
  std::string method;
  std::string path;  // the target without its query
  mcp::HttpHeaders headers;
  std::size_t body_bytes = 0;
  bool keep_alive = true;
  std::string body;
};

// What a request that is not served is told.
struct Refusal {
  int status = 400;
  std::string_view reason = "Bad Request";
  std::string_view allow;     // for 405
  bool authenticate = false;  // for 401
};

// The head of a request: everything before the blank line, without it. The body is still empty.
std::variant<Request, Refusal> read_head(std::string_view head, const Limits& limits);

}  // namespace notesdb::http
