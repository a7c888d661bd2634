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
  const auto refusal = judge(posted, rules, Peer::own_user);
  return refusal ? refusal->status : 200;
}

Rules local() {
  return {.port = 8420};
}

// The same for who runs the server, which most rules have nothing to do with.
std::optional<Refusal> judge(const Request& request, const Rules& rules) {
  return http::judge(request, rules, Peer::own_user);
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

TEST_CASE("beyond this machine the token decides, and the name must be one that was allowed",
          "[http]") {
  const Rules open{8420, false, "0123456789abcdef", {"notes.example"}};
  Request posted = request("POST", "/mcp");
  posted.headers.add("Host", "notes.example:8420");
  posted.headers.add("Content-Type", "application/json");
  CHECK(judge(posted, open)->status == 401);
  CHECK(judge(posted, open)->authenticate);
  posted.headers.add("Authorization", "Bearer 0123456789abcdef");
  CHECK_FALSE(judge(posted, open));
  posted.headers.add("Origin", "http://evil.example");
  CHECK(judge(posted, open)->status == 403);
  Request renamed = request("GET", "/");
  renamed.headers.add("Host", "localhost:8420");
  CHECK(judge(renamed, open)->status == 421);
}

TEST_CASE("on this machine its user comes in, and others with the token", "[http]") {
  Rules rules = local();
  for (const char* path : {"/mcp", "/call/db_list"}) {
    Request posted = request("POST", path);
    posted.headers.add("Host", "localhost");
    posted.headers.add("Content-Type", "application/json");
    CHECK_FALSE(http::judge(posted, rules, Peer::own_user));
    CHECK(http::judge(posted, rules, Peer::stranger)->status == 401);
    rules.token = "0123456789abcdef";
    CHECK_FALSE(http::judge(posted, rules, Peer::own_user));
    CHECK(http::judge(posted, rules, Peer::stranger)->status == 401);
    Request forwarded = posted;
    forwarded.headers.add("X-Forwarded-For", "10.0.0.1");
    CHECK(http::judge(forwarded, rules, Peer::own_user)->status == 401);
    posted.headers.add("Authorization", "Bearer 0123456789abcdef");
    CHECK_FALSE(http::judge(posted, rules, Peer::stranger));
    rules.token.clear();
  }
  for (const char* path : {"/", "/health", "/licenses", "/assets/page.js"}) {
    Request get = request("GET", path);
    get.headers.add("Host", "localhost");
    INFO(path);
    CHECK_FALSE(http::judge(get, rules, Peer::stranger));
  }
}

TEST_CASE("a name that was allowed needs the token on this machine too", "[http]") {
  const Rules rules{8420, true, "0123456789abcdef", {"notes.example"}};
  Request posted = request("POST", "/call/db_list");
  posted.headers.add("Host", "notes.example");
  posted.headers.add("Content-Type", "application/json");
  CHECK(judge(posted, rules)->status == 401);
}

TEST_CASE("a browser says whether it is our page that asks", "[http]") {
  const auto status = [](const std::string& path, const char* site, const char* destination) {
    Request asked = request(path == "/mcp" || path.starts_with("/call") ? "POST" : "GET", path);
    asked.headers.add("Host", "localhost");
    asked.headers.add("Content-Type", "application/json");
    asked.headers.add("Sec-Fetch-Site", site);
    asked.headers.add("Sec-Fetch-Dest", destination);
    const auto refusal = judge(asked, local());
    return refusal ? refusal->status : 200;
  };
  for (const char* path : {"/call/db_list", "/mcp", "/events"}) {
    INFO(path);
    CHECK(status(path, "same-origin", "empty") == 200);
    for (const char* site : {"cross-site", "same-site", "none", ""})
      CHECK(status(path, site, "document") == 403);
  }
  CHECK(status("/", "none", "document") == 200);
  CHECK(status("/", "cross-site", "document") == 200);
  CHECK(status("/", "cross-site", "iframe") == 403);
  CHECK(status("/assets/page.js", "cross-site", "script") == 403);
  CHECK(status("/assets/page.js", "cross-site", "document") == 403);
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
    Request get = request("GET", "/events");
    get.headers.add("Host", "localhost");
    get.headers.add("Authorization", given);
    CHECK(http::judge(get, rules, Peer::stranger)->status == 401);
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
