#include "http/rules.h"

#include <catch2/catch.hpp>

namespace notesdb::http {
namespace {

Request request(const std::string& method, const std::string& path) {
  Request request;
  request.method = method;
  request.path = path;
  return request;
}

// What a good POST with this Host and Origin is told; 200 if it is let in.
int status_of(const std::string& host, const std::string& origin, const Rules& rules) {
  Request posted = request("POST", "/mcp");
  posted.headers.add("Host", host);
  posted.headers.add("Content-Type", "application/json");
  if (!origin.empty()) posted.headers.add("Origin", origin);
  const auto refusal = judge(posted, rules);
  return refusal ? refusal->status : 200;
}

Rules local() {
  return {8420, true, ""};
}

TEST_CASE("a local server answers to its own names only", "[http]") {
  for (const char* host :
       {"localhost", "LOCALHOST:8420", "127.0.0.1", "127.0.0.1:8420", "[::1]", "[::1]:8420"}) {
    INFO(host);
    CHECK(status_of(host, "", local()) == 200);
  }
  for (const char* host : {"evil.example",
                           "localhost.evil.example",
                           "localhost:80",
                           "localhost:84200",
                           "127.0.0.1.nip.io",
                           "localhost:",
                           "local",
                           "localhost@evil.example",
                           "0.0.0.0",
                           "127.1",
                           "[::1",
                           ""}) {
    INFO(host);
    CHECK(status_of(host, "", local()) == 421);
  }
}

TEST_CASE("a page of another site is refused, whatever it calls itself", "[http]") {
  CHECK(status_of("localhost", "http://localhost:8420", local()) == 200);
  CHECK(status_of("localhost", "http://127.0.0.1:8420", local()) == 200);
  for (const char* origin : {"null",
                             "http://evil.example",
                             "https://localhost:8420",
                             "http://localhost:9999",
                             "http://localhost:8420.evil.example",
                             "file://",
                             "http://localhost:8420/",
                             "chrome-extension://x"}) {
    INFO(origin);
    CHECK(status_of("localhost", origin, local()) == 403);
  }
}

TEST_CASE("beyond this machine the token decides, not the name", "[http]") {
  Rules open{8420, false, "0123456789abcdef"};
  Request posted = request("POST", "/mcp");
  posted.headers.add("Host", "notes.example:8420");
  posted.headers.add("Content-Type", "application/json");
  CHECK(judge(posted, open)->status == 401);
  CHECK(judge(posted, open)->authenticate);
  posted.headers.add("Authorization", "Bearer 0123456789abcdef");
  CHECK_FALSE(judge(posted, open));
  posted.headers.add("Origin", "http://evil.example");
  CHECK(judge(posted, open)->status == 403);
}

TEST_CASE("a token is right to the last character, once, as a bearer", "[http]") {
  Rules rules = local();
  rules.token = "0123456789abcdef";
  for (const char* given : {"Bearer 0123456789abcde",
                            "Bearer 0123456789abcdeff",
                            "Bearer ",
                            "0123456789abcdef",
                            "Basic 0123456789abcdef",
                            "Bearer 0123456789ABCDEF"}) {
    INFO(given);
    Request get = request("GET", "/");
    get.headers.add("Host", "localhost");
    get.headers.add("Authorization", given);
    CHECK(judge(get, rules)->status == 401);
  }
  Request health = request("GET", "/health");
  health.headers.add("Host", "localhost");
  CHECK_FALSE(judge(health, rules));
}

TEST_CASE("routes are served with their method, others say which", "[http]") {
  for (const char* method : {"GET", "DELETE", "PUT", "OPTIONS", "HEAD"}) {
    Request other = request(method, "/mcp");
    other.headers.add("Host", "localhost");
    CHECK(judge(other, local())->status == 405);
    CHECK(judge(other, local())->allow == "POST");
  }
  Request unknown = request("GET", "/mcp/../etc");
  unknown.headers.add("Host", "localhost");
  CHECK(judge(unknown, local())->status == 404);
}

TEST_CASE("what a page can post unasked is refused", "[http]") {
  for (const char* type : {"text/plain",
                           "application/x-www-form-urlencoded",
                           "multipart/form-data",
                           "application/jsonx",
                           ""}) {
    Request posted = request("POST", "/mcp");
    posted.headers.add("Host", "localhost");
    posted.headers.add("Content-Type", type);
    INFO(type);
    CHECK(judge(posted, local())->status == 415);
  }
  Request posted = request("POST", "/mcp");
  posted.headers.add("Host", "localhost");
  posted.headers.add("Content-Type", "Application/JSON; charset=utf-8");
  CHECK_FALSE(judge(posted, local()));
}

}  // namespace
}  // namespace notesdb::http
