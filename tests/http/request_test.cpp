#include "http/request.h"

#include <catch2/catch.hpp>

namespace notesdb::http {
namespace {

// The status of the refusal, or 200.
int status_of(const std::string& head) {
  const auto read = read_head(head, Limits{});
  const auto* refusal = std::get_if<Refusal>(&read);
  return refusal == nullptr ? 200 : refusal->status;
}

std::string post(const std::string& headers) {
  return "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + headers;
}

TEST_CASE("a request is its method, path, headers and length", "[http]") {
  auto read = read_head(
      "POST /mcp?x=1 HTTP/1.1\r\nhost: localhost:8420\r\nContent-Length: 12\r\nX-A:  b \t",
      Limits{});
  const auto* request = std::get_if<Request>(&read);
  REQUIRE(request != nullptr);
  CHECK(request->method == "POST");
  CHECK(request->path == "/mcp");
  CHECK(*request->headers.find("HOST") == "localhost:8420");
  CHECK(*request->headers.find("x-a") == "b");
  CHECK(request->body_bytes == 12);
  CHECK(request->keep_alive);
}

TEST_CASE("a request line is exact", "[http]") {
  CHECK(status_of("GET / HTTP/1.1\r\nHost: a") == 200);
  for (const char* line : {"",
                           "GET",
                           "GET /",
                           "GET  HTTP/1.1",
                           " / HTTP/1.1",
                           "G\x01T / HTTP/1.1",
                           "GET http://a/ HTTP/1.1",
                           "GET * HTTP/1.1",
                           "GET /\x7f HTTP/1.1",
                           "GET /\xc3\xa9 HTTP/1.1",
                           "GET / x HTTP/1.1"}) {
    INFO(line);
    CHECK(status_of(std::string(line) + "\r\nHost: a") == 400);
  }
  CHECK(status_of("GET / HTTP/1.0\r\nHost: a") == 505);
  CHECK(status_of("GET / HTTP/2\r\nHost: a") == 505);
  CHECK(status_of("GET /" + std::string(3000, 'a') + " HTTP/1.1\r\nHost: a") == 414);
}

TEST_CASE("there is one Host", "[http]") {
  CHECK(status_of("GET / HTTP/1.1") == 400);
  CHECK(status_of("GET / HTTP/1.1\r\nHost: a\r\nHost: a") == 400);
}

TEST_CASE("headers are plain lines", "[http]") {
  CHECK(status_of(post("Content-Length: 0\r\nno colon")) == 400);
  CHECK(status_of(post("Content-Length: 0\r\n folded: x")) == 400);
  CHECK(status_of(post("Content-Length: 0\r\nX : y")) == 400);
  CHECK(status_of(post("Content-Length: 0\r\nX: a\nb")) == 400);
  CHECK(status_of(post("Content-Length: 0\r\nX: a\rb")) == 400);
  CHECK(status_of(post(std::string("Content-Length: 0\r\nX: a\0b", 26))) == 400);
  std::string many = "Content-Length: 0";
  for (int i = 0; i < 64; ++i)
    many += "\r\nX: y";
  CHECK(status_of(post(many)) == 431);
}

TEST_CASE("a body has one length that is a number within the limit", "[http]") {
  CHECK(status_of(post("Content-Length: 1048576")) == 200);
  CHECK(status_of(post("X: y")) == 411);
  CHECK(status_of(post("Content-Length: 1048577")) == 413);
  CHECK(status_of(post("Content-Length: 99999999999999999999999")) == 413);
  for (const char* length :
       {"", "-1", "+1", "1 2", "0x10", "1e3", "1,1", "1\r\nContent-Length: 1"}) {
    INFO(length);
    CHECK(status_of(post("Content-Length: " + std::string(length))) == 400);
  }
  CHECK(status_of("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5") == 400);
}

TEST_CASE("bodies in chunks, compressed or announced are refused", "[http]") {
  CHECK(status_of(post("Content-Length: 5\r\nTransfer-Encoding: chunked")) == 411);
  CHECK(status_of(post("Content-Length: 5\r\nContent-Encoding: gzip")) == 415);
  CHECK(status_of(post("Content-Length: 5\r\nExpect: 100-continue")) == 417);
}

}  // namespace
}  // namespace notesdb::http
