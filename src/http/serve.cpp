#include "http/serve.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include <malloc.h>

#include "http/guard.h"
#include "http/token_file.h"
#include "mcp/streamable_http.h"

namespace notesdb::http {
namespace {

Answer from_mcp(mcp::HttpAnswer answer) {
  Answer result;
  result.status = answer.status;
  result.content_type = "application/json";
  result.body = std::move(answer.body);
  result.stream = std::move(answer.stream);
  if (!answer.session_id.empty()) result.headers.emplace_back("Mcp-Session-Id", answer.session_id);
  return result;
}

Answer handle(mcp::StreamableHttp& endpoint,
              const Request& request,
              const std::function<bool()>& gone) {
  if (request.path == "/mcp") return from_mcp(endpoint.post(request.headers, request.body, gone));
  if (request.path == "/health") return {200, "application/json", "{\"status\":\"ok\"}\n", {}, {}};
  return {200, "text/plain", "notesdb serves the Model Context Protocol at /mcp\n", {}, {}};
}

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

// Waits for the first signal and then stops the guard, as often as it takes; a second one ends the
// program where it stands.
class SignalWatch {
 public:
  SignalWatch(Guard& guard, mcp::StreamableHttp& endpoint)
      : thread_([this, &guard, &endpoint] { watch(guard, endpoint); }) {}
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch() {
    done_.store(true);
    thread_.join();
  }

 private:
  void watch(Guard& guard, mcp::StreamableHttp& endpoint) {
    const sigset_t signals = stop_signals();
    const timespec glance{0, 50'000'000};
    bool stopping = false;
    while (!done_.load()) {
      if (sigtimedwait(&signals, nullptr, &glance) > 0) {
        if (stopping) std::_Exit(130);
        stopping = true;
        endpoint.stop();
      }
      if (stopping) guard.stop();
    }
  }

  std::atomic<bool> done_ = false;
  std::thread thread_;
};

int fail(const std::string& why) {
  std::fprintf(stderr, "notesdb: %s\n", why.c_str());
  return 1;
}

std::string cannot_listen(const ServeOptions& options) {
  const std::string where = options.host + " port " + std::to_string(options.port);
  if (errno == EADDRINUSE) return where + " is in use; another can be given with --port";
  if (errno == EACCES) return where + " needs more rights; another can be given with --port";
  return "cannot listen at " + where;
}

std::string url_of(const std::string& host, int port) {
  const bool is_v6 = host.find(':') != std::string::npos && !host.starts_with('[');
  return "http://" + (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace

void prepare_to_serve() {
  const sigset_t signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  // Few arenas for many threads, and large pieces always given back: otherwise each arena keeps the
  // most that any of its threads ever held.
  constexpr int arenas = 2;
  constexpr int large_bytes = 128 << 10;
  ::mallopt(M_ARENA_MAX, arenas);
  ::mallopt(M_MMAP_THRESHOLD, large_bytes);
}

int serve(mcp::Server& server, const ServeOptions& options) {
  prepare_to_serve();
  Rules rules;
  rules.loopback = is_loopback(options.host);
  if (!options.token_file.empty()) {
    Result<std::string> token = read_token_file(options.token_file);
    if (!token) return fail(token.error().message);
    rules.token = std::move(*token);
  }
  if (!rules.loopback && rules.token.empty()) {
    return fail("--host " + options.host +
                " can be reached from other machines; that needs --token-file");
  }
  mcp::StreamableHttp endpoint(server);
  Guard guard(Limits{}, [&](const Request& request, const std::function<bool()>& gone) {
    return handle(endpoint, request, gone);
  });
  rules.port = guard.bind(options.host, options.port);
  if (rules.port == 0) return fail(cannot_listen(options));
  const SignalWatch watch(guard, endpoint);
  std::fprintf(stderr, "notesdb: listening at %s/mcp\n", url_of(options.host, rules.port).c_str());
  if (options.print_port) {
    std::printf("%d\n", rules.port);
    std::fflush(stdout);
  }
  const bool finished = guard.serve(rules);
  if (!finished) {
    std::fflush(nullptr);
    std::_Exit(0);  // a call that does not end still uses what would be taken down now
  }
  return 0;
}

}  // namespace notesdb::http
