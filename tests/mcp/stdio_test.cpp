// The stdio interface over real pipes.
#include "mcp/stdio.h"

#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include <catch2/catch.hpp>
#include <unistd.h>

#include "mcp/conversation.h"

namespace notesdb::mcp {
namespace {

class Pipe {
 public:
  Pipe() { REQUIRE(::pipe(ends_.data()) == 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_writing();
    ::close(ends_[0]);
  }
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void write(const std::string& text) const {
    if (::write(ends_[1], text.data(), text.size()) < 0) throw std::runtime_error("closed pipe");
  }
  void close_writing() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_ = {-1, -1};
};

// A server on pipes, and the lines it writes.
class Served {
 public:
  Served()
      : thread_([this] { finished_ = serve_stdio(*server_, in_.reading(), out_.writing()); }) {}
  void say(const std::string& line) const { in_.write(line + "\n"); }
  void say_part(const std::string& text) const { in_.write(text); }
  Json next() {
    const auto line = lines_.next();
    return line ? Json::parse(*line) : Json(nullptr);
  }
  // Whether all calls came to their end after that of the input.
  bool finish() {
    const bool finished = end_input();
    out_.close_writing();
    return finished;
  }
  bool end_input() {
    in_.close_writing();
    thread_.join();
    return finished_;
  }

 private:
  std::unique_ptr<Server> server_ = fixture_server();
  Pipe in_;
  Pipe out_;
  LineReader lines_{out_.reading(), std::size_t{1} << 24};
  bool finished_ = false;
  std::thread thread_;
};

std::string call(int id, const char* tool) {
  return request_text(id, "tools/call", {{"name", tool}});
}

TEST_CASE("a slow call does not hold up a quick one", "[mcp]") {
  Served served;
  served.say(call(1, "wait_for_cancel"));
  served.say(call(2, "test_simple_text"));
  CHECK(served.next()["id"] == 2);
  served.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  served.say(request_text(3, "ping", Json::object()));
  // Nothing at all is said about a cancelled call.
  CHECK(served.next()["id"] == 3);
  CHECK(served.finish());
  CHECK(served.next().is_null());
}

TEST_CASE("many calls that take long each make room for what comes next", "[mcp]") {
  Served served;
  constexpr int calls = 20;
  for (int id = 1; id <= calls; ++id)
    served.say(call(id, "wait_for_cancel"));
  served.say(request_text("still there?", "ping", Json::object()));
  CHECK(served.next()["id"] == "still there?");
  for (int id = 1; id <= calls; ++id) {
    served.say(notification_text("notifications/cancelled", {{"requestId", id}}));
  }
  CHECK(served.finish());
  CHECK(served.next().is_null());
}

TEST_CASE("what was asked before the end of input is still answered", "[mcp]") {
  Served served;
  served.say(call(1, "test_tool_with_progress"));
  CHECK(served.finish());
  CHECK(served.next()["id"] == 1);
}

TEST_CASE("a call that does not end does not keep the door open", "[mcp]") {
  // Never taken down, since the thread of that call still uses it.
  static Served* const served = new Served;
  const auto begin = std::chrono::steady_clock::now();
  served->say(call(1, "wait_for_cancel"));
  CHECK_FALSE(served->end_input());
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(4));
}

TEST_CASE("progress comes before the answer, rising, with the token of the call", "[mcp]") {
  Served served;
  served.say(request_text(
      7, "tools/call", {{"name", "test_tool_with_progress"}, {"_meta", {{"progressToken", "p"}}}}));
  for (const int expected : {0, 50, 100}) {
    const Json notice = served.next();
    CHECK(notice["params"]["progress"] == expected);
    CHECK(notice["params"]["progressToken"] == "p");
  }
  CHECK(served.next()["id"] == 7);
  CHECK(served.finish());
}

TEST_CASE("a line beyond every limit is refused, and the next one is answered", "[mcp]") {
  Served served;
  std::thread writing([&] {
    const std::string much(std::size_t{1} << 20, 'x');
    for (int i = 0; i < 17; ++i)
      served.say_part(much);
    served.say("");
    served.say(request_text(1, "ping", Json::object()));
  });
  CHECK(served.next()["error"]["code"] == -32600);
  CHECK(served.next()["id"] == 1);
  writing.join();
  CHECK(served.finish());
}

TEST_CASE("lines end with a line feed, with or without a carriage return, or not at all", "[mcp]") {
  Pipe pipe;
  pipe.write("a\r\n\n  \nb\nlast");
  pipe.close_writing();
  LineReader lines(pipe.reading(), 100);
  CHECK(lines.next() == "a\r");
  CHECK(lines.next() == "b");
  CHECK(lines.next() == "last");
  CHECK_FALSE(lines.next());
}

}  // namespace
}  // namespace notesdb::mcp
